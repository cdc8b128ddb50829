"""Use cases: gather, decide, act. One file a job; jobs never call jobs."""
