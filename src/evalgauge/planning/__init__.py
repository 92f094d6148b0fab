"""How many cases, reps and slices a question needs, and what a set that exists can show; pure functions."""
