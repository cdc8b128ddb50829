"""A trial of a pack: the beliefs from some episodes with the pack, compared with those without it."""

from slowwave.core.trial.comparing import Belief, Difference, Quote, compared
from slowwave.core.trial.deciding import Tried, tried

__all__ = ["Belief", "Difference", "Quote", "Tried", "compared", "tried"]
