"""Model calls, with their slots, circuit breakers and budgets. Every call is claimed, paid for and settled once."""
