"""Erasure: which messages, letters and outbox entries name what is to be forgotten."""
