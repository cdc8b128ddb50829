"""Calls to models: taken in turn, paid once, settled once; slots, breakers and budgets."""
