"""Claims that come late: what was held before their place, and what was told since."""
