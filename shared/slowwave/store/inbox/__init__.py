"""The inbox, a durable queue: scopes, episodes with gapless positions, and the work that becomes due."""
