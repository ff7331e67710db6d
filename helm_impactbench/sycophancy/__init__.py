"""Moral sycophancy: the same two-sided dispute told by one party, by the other, and by nobody in particular."""
