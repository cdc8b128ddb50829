"""Trials of rule packs over episodes; they write nothing."""

from slowwave.jobs.dry_run.claims import DryRun, claims_of

__all__ = ["DryRun", "claims_of"]
