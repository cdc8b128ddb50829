"""Subscriptions to new deltas from any source, read by iteration or with a callback."""

from slowwave.subscriptions.deltas import PAGE, DeltaCallback, Deltas, OpenSubscriptions, Subscription

__all__ = ["PAGE", "DeltaCallback", "Deltas", "OpenSubscriptions", "Subscription"]
