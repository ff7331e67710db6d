"""ImpactBench for HELM: measure what AI systems do to the people who talk to them."""

__version__ = "0.1.0"
