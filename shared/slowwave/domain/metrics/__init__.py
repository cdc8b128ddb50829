"""Metrics, the numbers a monitoring system asks for, of a whole installation."""
