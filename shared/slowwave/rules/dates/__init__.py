"""Dates in words, told from the time they were said and by the verb they stand with. The host's clock is never asked.

`period` reads one phrase, `dated` finds the phrases of a text, `direction` tells by the words around a phrase whether
it lies ahead or behind. What cannot be told is left as it was said.
"""

from slowwave.rules.dates.calendar import Direction, Period
from slowwave.rules.dates.direction import direction, is_past
from slowwave.rules.dates.finding import Dated, dated
from slowwave.rules.dates.periods import LONGEST, meant, period

__all__ = ["LONGEST", "Dated", "Direction", "Period", "dated", "direction", "is_past", "meant", "period"]
