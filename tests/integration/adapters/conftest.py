"""Collection of adapter tests: only if the framework is installed; `make accept` installs it and runs the example."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("langgraph") else ["test_langgraph.py"]
