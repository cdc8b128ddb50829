"""The inbox is a durable queue: it stores scopes, episodes with gapless positions, and intents for due work."""
