"""Simulated evals whose truth is known, such as climbs on a holdout: seeded, and alike for any number of workers."""
