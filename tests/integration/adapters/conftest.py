"""Tests of adapters of frameworks: collected where the framework is; `make accept` has it, and runs its example too."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("langgraph") else ["test_langgraph.py"]
