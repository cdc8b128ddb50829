"""Commands that monitor an installation: metrics, reports and webhooks."""
