"""Patterns: strategies, routines and preferences that recur, and the test of their reliability."""

import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import sqrt
from typing import Literal

from slowwave.core.beliefs.identity import normal
from slowwave.domain.attempt import Attempt, Way
from slowwave.domain.claim import Source
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.limits import canonical_json
from slowwave.domain.pattern import Mention, Preference

Z = 1.96
"""The number of standard deviations of the interval, for a confidence of 95 %."""
Verdict = Literal["tried", "learn", "support", "weaken", "withdraw"]
StrategyState = Literal["learned", "tried", "failing", "withdrawn"]
FAMILY = frozenset({
    "likes", "dislikes", "loves", "hates", "prefers", "wants", "enjoys", "avoids", "hobby", "diet", "takes", "reads",
    "plays",
})  # fmt: skip
"""The predicates that express a preference."""
FAMILY_PREFIXES = ("favourite_", "favorite_", "prefers_", "likes_")
"""The prefixes of further predicates that express a preference."""
BAND_HOURS = 4
"""The hours of a band; a day has six bands. Narrower bands would separate events half an hour apart, and wider bands
would be too vague."""
LONGEST_STATEMENT = 200
"""The maximum number of characters of a statement that may be a routine. Longer ones do not recur word for word."""
LEAST_WORDS = 3
"""The fewest words of a statement that may be a routine. A shorter statement is a reply or a greeting, such as "yes" or
"thank you"."""
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True, slots=True)
class Learning:
    """The thresholds for learning a pattern.

    A strategy is learned if it has at least *successes* successes, and if its Wilson bound is at least *bound*. With a
    bound of .30, three successes of three are enough (.438), three of four are just enough (.301), and three of five
    are too few (.231). A preference recurs if it was stated in at least *sessions* sessions. An occurrence is a routine
    if it was seen in at least *weeks* weeks of the last year.
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
        """The lower bound of the success rate, given these counts (see `wilson_lower`)."""
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


def verdict(support: Support, *, success: bool, believed: bool, learning: Learning = LEARNING) -> Verdict:
    """Return the effect of one more attempt. *support* already includes this attempt.

    *believed* says whether the strategy is believed. A success supports a believed strategy; any other strategy is
    learned once it has enough support. A failure weakens a believed strategy, or withdraws it if the bound is below the
    threshold. Otherwise the effect is `tried`.

    >>> verdict(Support(3, 0), success=True, believed=False), verdict(Support(3, 2), success=False, believed=True)
    ('learn', 'withdraw')
    """
    if believed:
        if success:
            return "support"
        return "weaken" if support.bound >= learning.bound else "withdraw"
    return "learn" if success and support.suffices(learning) else "tried"


def strategy_state(support: Support, *, believed: bool, learning: Learning = LEARNING) -> StrategyState:
    """Return the state of a strategy: `learned`, `tried` (too few attempts), `failing`, or `withdrawn`.

    A strategy with enough support that is not believed is `withdrawn`: it was forgotten on request or has faded.

    >>> [strategy_state(Support(*counts), believed=False) for counts in [(2, 0), (3, 2), (0, 1), (3, 0)]]
    ['tried', 'failing', 'failing', 'withdrawn']
    """
    if believed:
        return "learned"
    if support.suffices(learning):
        return "withdrawn"
    return "failing" if support.successes >= learning.successes or support.failures > support.successes else "tried"


def wilson_lower(successes: int, trials: int, z: float = Z) -> float:
    """Return the lower end of Wilson's interval for a success rate, from 0 to 1.

    Few trials give a low value, even if all of them succeed. Source: E. B. Wilson, J. Amer. Stat. Assoc. 22 (1927) 209.

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
    """Return the id of a strategy, which is derived from the scope, the task and the tools."""
    parts = ["strategy", normal(way.task), [normal(tool) for tool in way.tools]]
    return uuid.uuid5(scope, canonical_json(parts).decode())


def is_preference(predicate: str) -> bool:
    """Return whether *predicate* expresses a preference.

    >>> is_preference("likes"), is_preference("favourite_food"), is_preference("lives_in")
    (True, True, False)
    """
    return predicate in FAMILY or predicate.startswith(FAMILY_PREFIXES)


def recurring(preference: Preference, learning: Learning = LEARNING) -> list[Mention] | None:
    """Return the first mention in each of the first sessions that suffice for *preference* to recur, or None."""
    first: dict[str, Mention] = {}
    for mention in preference.mentions:
        first.setdefault(mention.session, mention)
    return list(first.values())[: learning.sessions] if len(first) >= learning.sessions else None


@dataclass(frozen=True, slots=True)
class Band:
    """A part of the week in the speaker's local time: its weekday (Monday is 0) and the hour when it begins."""

    weekday: int
    hour: int

    def __str__(self) -> str:
        """The band in words."""
        return f"on {WEEKDAYS[self.weekday]}s between {self.hour:02}:00 and {self.hour + BAND_HOURS:02}:00"


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A possible routine, seen in a *week*.

    *what* is the routine in words. *sources* has the episodes in which it was seen.
    """

    pattern: uuid.UUID
    what: str
    week: str
    at: datetime
    session: str
    sources: tuple[Source, ...]


def band(at: datetime) -> Band:
    """Return the part of the week that contains *at*, in the time zone of *at*.

    >>> from datetime import UTC
    >>> print(band(datetime(2026, 3, 2, 9, 30, tzinfo=UTC)))
    on Mondays between 08:00 and 12:00
    """
    return Band(at.weekday(), at.hour - at.hour % BAND_HOURS)


def week(at: datetime) -> str:
    """Return the ISO week that contains *at*, in the time zone of *at*, with the ISO year.

    >>> from datetime import UTC
    >>> week(datetime(2027, 1, 1, tzinfo=UTC))
    '2026-W53'
    """
    year, number, _ = at.isocalendar()
    return f"{year}-W{number:02}"


def occurrences(scope: uuid.UUID, attempts: Iterable[Attempt], window: Sequence[StoredEpisode]) -> list[Occurrence]:
    """Return the possible routines, in order. They are the tools of each attempt, and the user's short statements."""
    found = [*_done(scope, attempts), *_statements(scope, window)]
    return sorted(found, key=lambda one: (one.sources[0].position, one.pattern))


def _done(scope: uuid.UUID, attempts: Iterable[Attempt]) -> Iterator[Occurrence]:
    for attempt in attempts:
        if attempt.way and attempt.calls:
            at = band(attempt.local)
            yield Occurrence(
                pattern=_id(scope, "tools", attempt.way.tools, at),
                what=f"uses {attempt.way.name} {at}",
                week=week(attempt.local),
                at=attempt.at,
                session=attempt.session,
                sources=(attempt.outcome, *attempt.calls),
            )


def _statements(scope: uuid.UUID, window: Sequence[StoredEpisode]) -> Iterator[Occurrence]:
    for episode in window:
        words = normal(episode.content).rstrip(".!? ")
        brief = len(words) <= LONGEST_STATEMENT and len(words.split()) >= LEAST_WORDS
        if episode.kind != "message" or episode.role != "user" or not brief:
            continue
        at = band(episode.local)
        yield Occurrence(
            pattern=_id(scope, "words", words, at),
            what=f"says “{words}” {at}",
            week=week(episode.local),
            at=episode.occurred,
            session=episode.session,
            sources=(Source(episode.id, episode.key, episode.position, 0, len(episode.content)),),
        )


def _id(scope: uuid.UUID, kind: str, what: object, at: Band) -> uuid.UUID:
    return uuid.uuid5(scope, canonical_json(["routine", kind, what, at.weekday, at.hour]).decode())
