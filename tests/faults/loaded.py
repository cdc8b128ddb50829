"""Loads what forked processes share, when their common parent imports this module."""

from tests.faults.rig.killed import heavy

heavy()
