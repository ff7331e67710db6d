"""Experts on the content: a blind sheet of cases and sample replies out, their readings back in."""
