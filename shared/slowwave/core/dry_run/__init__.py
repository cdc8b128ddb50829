"""A trial of a pack: the beliefs from some episodes with the pack, compared with those without it."""

from slowwave.core.dry_run.comparison import Belief, Difference, Quote, compare_beliefs
from slowwave.core.dry_run.decisions import DryRunBeliefs, try_claims

__all__ = ["Belief", "Difference", "DryRunBeliefs", "Quote", "compare_beliefs", "try_claims"]
