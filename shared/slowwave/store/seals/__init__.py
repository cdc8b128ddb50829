"""Seals of ledgers, and their verification."""
