"""Salience: the present importance of a memory, by recent use, confirmations and initial importance."""
