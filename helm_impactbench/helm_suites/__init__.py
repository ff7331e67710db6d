"""Other suites of HELM in the same folder: which are read, and their runs as small types."""
