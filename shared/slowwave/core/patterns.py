"""The verdict on a pattern: from its counts of success and failure, whether it is worth relying on."""

import uuid
from dataclasses import dataclass, replace
from math import sqrt
from typing import Literal

from slowwave.core.beliefs.identity import normal
from slowwave.domain.attempt import Way
from slowwave.domain.episode import canonical_json

Z = 1.96
"""Standard deviations of the interval: 95 % of the time the true rate lies inside."""


@dataclass(frozen=True, slots=True)
class Learning:
    """The thresholds from which on something counts as a pattern.

    *successes* and *bound*: a strategy is learned from so many successes on, if its Wilson bound is at least this. With
    .30 three of three are enough (.438), three of four just so (.301), three of five are not (.231). *sessions*: a
    preference recurs when it was said in so many different ones. *weeks*: a routine is one from so many on.
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
        """The success rate that these counts warrant; see `wilson_lower`."""
        return wilson_lower(self.successes, self.successes + self.failures)

    def after(self, *, success: bool) -> "Support":
        """Return the support when it was tried once more."""
        if success:
            return replace(self, successes=self.successes + 1)
        return replace(self, failures=self.failures + 1)

    def suffices(self, learning: Learning = LEARNING) -> bool:
        """Return whether this much makes a strategy."""
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
    """Return the meaning of one more attempt, with the *support* it brought the strategy to.

    *held* says whether the strategy is believed. A success teaches or supports it; a failure weakens it, and undoes it
    once the bound falls below what learning asks for.

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
    """Return the word for a strategy's state: believed, not tried enough to tell, known to fail, or withdrawn.

    What would be believed by its counts and is not was forgotten on request or has faded.

    >>> [standing(Support(*counts), held=False) for counts in [(2, 0), (3, 2), (0, 1), (3, 0)]]
    ['tried', 'failing', 'failing', 'withdrawn']
    """
    if held:
        return "learned"
    if support.suffices(learning):
        return "withdrawn"
    return "failing" if support.successes >= learning.successes or support.failures > support.successes else "tried"


def wilson_lower(successes: int, trials: int, z: float = Z) -> float:
    """Return the lower end of Wilson's interval for a success rate, 0 to 1: the rate that so many trials warrant.

    Few trials warrant little, however well they went. Source: E. B. Wilson, J. Amer. Stat. Assoc. 22 (1927) 209.

    >>> [round(wilson_lower(*counts), 4) for counts in [(0, 0), (1, 1), (3, 3), (3, 4), (3, 5), (10, 10), (80, 100)]]
    [0.0, 0.2065, 0.4385, 0.3006, 0.2307, 0.7225, 0.7112]
    >>> wilson_lower(0, 7)
    0.0
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} of {trials} is no count of successes")
    if successes == 0:
        return 0.0
    rate, spread = successes / trials, z * z / trials
    return (rate + spread / 2 - sqrt(spread * (rate * (1 - rate) + spread / 4))) / (1 + spread)


def strategy_id(scope: uuid.UUID, way: Way) -> uuid.UUID:
    """Return the id of a way of doing a task: derived, so that whoever sees it in this scope gives it the same."""
    return _derived(scope, "strategy", normal(way.task), [normal(tool) for tool in way.tools])


def _derived(scope: uuid.UUID, *parts: object) -> uuid.UUID:
    return uuid.uuid5(scope, canonical_json(parts).decode())
