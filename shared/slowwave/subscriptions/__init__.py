"""Subscriptions to new deltas from any source, by iteration or with a callback."""

from slowwave.subscriptions.callbacks import DeltaCallback, OpenSubscriptions, Subscription
from slowwave.subscriptions.deltas import PAGE, Deltas

__all__ = ["PAGE", "DeltaCallback", "Deltas", "OpenSubscriptions", "Subscription"]
