"""Model calls: claimed in turn, paid once, settled once; slots, circuit breakers and budgets."""
