"""Routines: things a speaker does, or says, at the same time of the week, week after week."""

import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from slowwave.core.beliefs.identity import normal
from slowwave.domain.attempt import Attempt
from slowwave.domain.claim import Source
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.text import canonical_json

BAND_HOURS = 4
"""A day has six bands. Narrower ones would separate events half an hour apart, wider ones would be too vague."""
LONGEST_STATEMENT = 200
"""The most characters of a statement that may be a routine; longer ones do not recur word for word."""
LEAST_WORDS = 3
"""The fewest words of a routine statement; a shorter one is a reply or a greeting: "yes", "thank you"."""
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True, slots=True)
class Band:
    """A part of the week in the speaker's local time: a weekday (Monday is 0), and the hour when the part begins."""

    weekday: int
    hour: int

    def __str__(self) -> str:
        """The band in words."""
        return f"on {WEEKDAYS[self.weekday]}s between {self.hour:02}:00 and {self.hour + BAND_HOURS:02}:00"


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A possible routine, seen in a *week*: *what*, in words, with its source episodes."""

    pattern: uuid.UUID
    what: str
    week: str
    at: datetime
    session: str
    sources: tuple[Source, ...]


def band(at: datetime) -> Band:
    """Return the part of the week that contains *at*, by its own clock.

    >>> from datetime import UTC
    >>> print(band(datetime(2026, 3, 2, 9, 30, tzinfo=UTC)))
    on Mondays between 08:00 and 12:00
    """
    return Band(at.weekday(), at.hour - at.hour % BAND_HOURS)


def week(at: datetime) -> str:
    """Return the ISO week that contains *at*, by its own clock, with the ISO year.

    >>> from datetime import UTC
    >>> week(datetime(2027, 1, 1, tzinfo=UTC))
    '2026-W53'
    """
    year, number, _ = at.isocalendar()
    return f"{year}-W{number:02}"


def occurrences(scope: uuid.UUID, attempts: Iterable[Attempt], window: Sequence[StoredEpisode]) -> list[Occurrence]:
    """Return the possible routines, in order: the tools of each attempt, and the user's short statements."""
    found = [*_done(scope, attempts), *_said(scope, window)]
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


def _said(scope: uuid.UUID, window: Sequence[StoredEpisode]) -> Iterator[Occurrence]:
    for episode in window:
        words = normal(episode.content).rstrip(".!? ")
        if episode.kind != "message" or episode.role != "user" or not _brief(words):
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


def _brief(words: str) -> bool:
    return len(words) <= LONGEST_STATEMENT and len(words.split()) >= LEAST_WORDS


def _id(scope: uuid.UUID, kind: str, what: object, at: Band) -> uuid.UUID:
    return uuid.uuid5(scope, canonical_json(["routine", kind, what, at.weekday, at.hour]).decode())
