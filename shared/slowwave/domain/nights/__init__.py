"""Nights, and what is reported of one."""
