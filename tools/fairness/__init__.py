"""The cases of the fairness benchmarks, filled from authored frames and authored cues."""
