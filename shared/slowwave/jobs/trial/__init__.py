"""Trials of rule packs over episodes; they write nothing."""

from slowwave.jobs.trial.claiming import Trial, claims_of

__all__ = ["Trial", "claims_of"]
