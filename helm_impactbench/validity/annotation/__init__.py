"""Calibration of judges against people: a blind sheet out, labels back in, error rates and corrected rates."""
