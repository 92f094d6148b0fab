"""The verbs: each wires a question to its answer, through the readers, the scores and the rules."""
