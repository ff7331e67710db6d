"""Inputs by the hundred thousand: nothing but our own errors comes out of a parser."""
