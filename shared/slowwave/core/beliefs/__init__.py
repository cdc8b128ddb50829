"""Beliefs as values: under what name each is compared with others."""
