"""The editor's pass over all texts of finished benchmarks. Offline, without a model."""
