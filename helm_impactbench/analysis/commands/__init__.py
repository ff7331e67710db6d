"""One pure function for each command that reads a suite: a reading and options in, a Result out."""
