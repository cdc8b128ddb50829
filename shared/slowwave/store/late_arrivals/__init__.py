"""Late claims: the facts held before their place in time, and the claims told since."""
