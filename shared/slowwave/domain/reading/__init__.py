"""Reading what is remembered: what may answer, and what is told of it."""
