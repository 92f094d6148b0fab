"""Arrays in, frozen results out: the formulas of the papers, and the only door to SciPy."""
