"""Judges against people: a blind sheet out, annotations back in, agreement, error rates and corrected rates."""
