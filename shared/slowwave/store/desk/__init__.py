"""The desk: requests to models, calls, replies, budgets and breakers as the database keeps them."""
