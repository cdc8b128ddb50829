"""Jobs that send deltas to webhooks."""
