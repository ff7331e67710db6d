"""The version of the package. setup.cfg reads it from here; any room may import it."""

__version__ = "0.2.0.dev0"
