"""Packs tried over episodes; nothing is written."""

from slowwave.jobs.trial.claiming import Trial, claims_of

__all__ = ["Trial", "claims_of"]
