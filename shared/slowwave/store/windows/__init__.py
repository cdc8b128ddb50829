"""The windows that wait for a model: which is planned anew, which may be applied, what wakes whom."""
