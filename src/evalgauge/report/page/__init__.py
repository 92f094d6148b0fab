"""Reports: all answers about some logs as one document, in HTML, Markdown or PDF. Nothing is computed here."""
