"""The durable queue: scopes, episodes with gapless positions, and what comes due because of them."""
