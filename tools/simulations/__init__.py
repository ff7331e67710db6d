"""Simulations behind the figures that the docs promise."""
