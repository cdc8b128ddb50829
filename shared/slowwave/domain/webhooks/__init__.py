"""Values for the subscribers to deltas: webhooks and their deliveries."""
