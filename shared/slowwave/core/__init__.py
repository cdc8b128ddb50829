"""Decisions: pure functions of values. Time, ids and randomness are arguments."""
