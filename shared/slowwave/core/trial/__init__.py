"""A pack tried: what would be believed of some episodes, beside what is believed without it."""

from slowwave.core.trial.comparing import Belief, Difference, Quote, compared
from slowwave.core.trial.deciding import Tried, tried

__all__ = ["Belief", "Difference", "Quote", "Tried", "compared", "tried"]
