"""The verdict on a pattern: whether its counts of success and failure make it reliable."""

import uuid
from dataclasses import dataclass, replace
from math import sqrt
from typing import Literal

from slowwave.core.beliefs.identity import normal
from slowwave.domain.attempt import Way
from slowwave.domain.text import canonical_json

Z = 1.96
"""Standard deviations of the interval: 95 % confidence."""


@dataclass(frozen=True, slots=True)
class Learning:
    """The thresholds for learning a pattern.

    *successes* and *bound*: a strategy is learned from this many successes, if its Wilson bound is at least this. With
    .30 three of three are enough (.438), three of four just enough (.301), three of five are not (.231). *sessions*:
    the number of different sessions from which a preference recurs. *weeks*: the number of weeks from which something
    is a routine.
    """

    successes: int = 3
    bound: float = 0.30
    sessions: int = 3
    weeks: int = 3


LEARNING = Learning()


@dataclass(frozen=True, slots=True)
class Support:
    """The successes and failures of a strategy."""

    successes: int = 0
    failures: int = 0

    @property
    def bound(self) -> float:
        """The lower bound of the success rate, given these counts; see `wilson_lower`."""
        return wilson_lower(self.successes, self.successes + self.failures)

    def after(self, *, success: bool) -> "Support":
        """Return the support after one more attempt."""
        if success:
            return replace(self, successes=self.successes + 1)
        return replace(self, failures=self.failures + 1)

    def suffices(self, learning: Learning = LEARNING) -> bool:
        """Return whether this support is enough for a strategy."""
        return self.successes >= learning.successes and self.bound >= learning.bound

    def __str__(self) -> str:
        """The support in words.

        >>> print(Support(3, 1))
        worked 3 of 4 times, at least 30 % of the time
        """
        trials = self.successes + self.failures
        return f"worked {self.successes} of {trials} times, at least {self.bound:.0%} of the time".replace("%", " %")


Verdict = Literal["tried", "learn", "support", "weaken", "withdraw"]


def verdict(support: Support, *, success: bool, held: bool, learning: Learning = LEARNING) -> Verdict:
    """Return the effect of one more attempt; *support* includes it.

    *held* says whether the strategy is believed. A success teaches or supports it; a failure weakens it, and withdraws
    it if the bound falls below the threshold.

    >>> verdict(Support(3, 0), success=True, held=False), verdict(Support(3, 2), success=False, held=True)
    ('learn', 'withdraw')
    """
    if held:
        if success:
            return "support"
        return "weaken" if support.bound >= learning.bound else "withdraw"
    return "learn" if success and support.suffices(learning) else "tried"


Standing = Literal["learned", "tried", "failing", "withdrawn"]


def standing(support: Support, *, held: bool, learning: Learning = LEARNING) -> Standing:
    """Return a strategy's state: believed, too few attempts, known to fail, or withdrawn.

    A strategy with enough support that is not believed was forgotten on request or has faded.

    >>> [standing(Support(*counts), held=False) for counts in [(2, 0), (3, 2), (0, 1), (3, 0)]]
    ['tried', 'failing', 'failing', 'withdrawn']
    """
    if held:
        return "learned"
    if support.suffices(learning):
        return "withdrawn"
    return "failing" if support.successes >= learning.successes or support.failures > support.successes else "tried"


def wilson_lower(successes: int, trials: int, z: float = Z) -> float:
    """Return the lower end of Wilson's interval for a success rate, 0 to 1.

    Few trials give a low value, however successful. Source: E. B. Wilson, J. Amer. Stat. Assoc. 22 (1927) 209.

    >>> [round(wilson_lower(*counts), 4) for counts in [(0, 0), (1, 1), (3, 3), (3, 4), (3, 5), (10, 10), (80, 100)]]
    [0.0, 0.2065, 0.4385, 0.3006, 0.2307, 0.7225, 0.7112]
    >>> wilson_lower(0, 7)
    0.0
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} of {trials} is not a valid count of successes")
    if successes == 0:
        return 0.0
    rate, spread = successes / trials, z * z / trials
    return (rate + spread / 2 - sqrt(spread * (rate * (1 - rate) + spread / 4))) / (1 + spread)


def strategy_id(scope: uuid.UUID, way: Way) -> uuid.UUID:
    """Return the id of a strategy, derived from its task and tools: the same in a scope every time."""
    return _derived(scope, "strategy", normal(way.task), [normal(tool) for tool in way.tools])


def _derived(scope: uuid.UUID, *parts: object) -> uuid.UUID:
    return uuid.uuid5(scope, canonical_json(parts).decode())
