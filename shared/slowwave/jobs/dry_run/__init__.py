"""Trials of rule packs over episodes; they write nothing."""
