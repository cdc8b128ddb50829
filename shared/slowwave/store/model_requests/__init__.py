"""Model requests: requests, calls, replies, budgets and breakers, as the database keeps them."""
