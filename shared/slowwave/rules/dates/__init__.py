"""Dates in words, resolved from the time of the turn and the verb near the date, never from the host's clock.

`period` reads one phrase. `dated` finds the phrases in a text. `direction` decides from the words around a phrase
whether the phrase means the past or the future. A phrase that cannot be resolved stays unchanged.
"""

from slowwave.rules.dates.calendar import Direction, Period
from slowwave.rules.dates.direction import direction, is_past
from slowwave.rules.dates.events import begun, ended
from slowwave.rules.dates.finding import Dated, dated
from slowwave.rules.dates.periods import LONGEST, meant, period

__all__ = [
    "LONGEST",
    "Dated",
    "Direction",
    "Period",
    "begun",
    "dated",
    "direction",
    "ended",
    "is_past",
    "meant",
    "period",
]
