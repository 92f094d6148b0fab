"""Which interval answers which data, and what may be claimed from it: what sizes a set is what grades it."""
