"""Loads the parts that forked processes share; their parent process imports this module."""

from tests.faults.rig.killed import heavy

heavy()
