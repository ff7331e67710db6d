"""Measures: what a judge is asked of a transcript, and the type of its answer."""
