"""The long table of scores, per-case sums, pairing, and knowing a case when it comes back."""
