"""Metrics of an installation, for monitoring systems and operators."""
