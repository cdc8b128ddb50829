"""Synchronous model calls, for callers that wait for the reply."""
