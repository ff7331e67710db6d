"""Renderers of results: one for each kind of output."""
