"""Reconsideration of beliefs."""
