"""Deciding past claims again: with late claims inserted in time, without undone claims, or after a replay."""

from slowwave.core.late_arrivals.history import Done, Past, RecordedClaim
from slowwave.core.late_arrivals.placement import Folded, Refolded, Undoing, fold_in_place, fold_without
from slowwave.core.late_arrivals.since import Since, Swap, fold_before, swap

__all__ = [
    "Done",
    "Folded",
    "Past",
    "RecordedClaim",
    "Refolded",
    "Since",
    "Swap",
    "Undoing",
    "fold_before",
    "fold_in_place",
    "fold_without",
    "swap",
]  # fmt: skip
