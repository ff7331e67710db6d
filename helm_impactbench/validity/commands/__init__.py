"""The commands about whether a suite can be believed, as pure functions: a reading in, a result out."""
