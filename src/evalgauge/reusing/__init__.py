"""What repeated looks at one set cost: optimism, budgets, best of k, what was displayed, refresh; pure functions."""
