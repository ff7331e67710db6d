"""One module per command that judges instruments: a pure function from what is known to a Result."""
