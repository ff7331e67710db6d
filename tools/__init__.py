"""What only maintainers of the shipped content need. Run from a checkout; not part of the installed package."""
