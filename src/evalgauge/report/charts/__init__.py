"""Charts of answers: one Vega-Lite specification each, as plain data. Nothing is computed here."""
