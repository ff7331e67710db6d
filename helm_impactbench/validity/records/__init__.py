"""What instruments keep: what judges said of known transcripts, and what audits found; written and read here alone."""
