"""Logs of a process, and traces: spans of work, and the collector that receives spans."""
