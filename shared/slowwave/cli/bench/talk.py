"""Sample talk for benchmarks: turns of about 140 characters, a few with something worth keeping."""

import itertools
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from slowwave.domain.episode import Episode

_BEGINNING = datetime(2026, 1, 5, 8, tzinfo=UTC)
_PLACES = ("Lisbon", "Oslo", "Porto", "Bergen", "Riga", "Turin", "Ghent", "Malmö", "Graz", "Cork")
_THINGS = ("green tea", "long walks", "old maps", "jazz", "rye bread", "chess", "rowing", "films", "plums", "rain")
_WORK = ("a bakery", "Nordlys Energy", "the city library", "a small law firm", "Havn Logistics")
_TURNS = (
    "I moved to {place} last month, and the boxes are still everywhere, but the light makes up for it.",
    "That sounds like a lot of work! Did the neighbours help, or did you carry everything upstairs yourselves?",
    "I like {thing}. My mother used to say that it is the only thing that keeps our family sane in the dark months.",
    "The meeting went on for three hours and nobody could say afterwards what was decided or who would write it up.",
    "I work at {work} now; the first week was mostly finding out where everything is and remembering forty new names.",
    "Could you look up the trains for the weekend? Anything after nine is fine as long as nobody has to change twice.",
    "Here is what I found: three trains in the morning, one at noon, and the last one leaves at a quarter past eight.",
    "Honestly, the film was better than the book, although the second half drags and the ending makes no sense at all.",
)


def episodes(count: int, *, prefix: str = "e") -> Iterator[Episode]:
    """Return *count* episodes, one minute apart, identical each time."""
    turns = itertools.cycle(_TURNS)
    for number, turn in zip(range(count), turns, strict=False):
        yield Episode(
            content=turn.format(
                place=_PLACES[number // 8 % len(_PLACES)],
                thing=f"{_THINGS[number // 8 % len(_THINGS)]} number {number // 80}",
                work=_WORK[number // 8 % len(_WORK)],
            ),
            key=f"{prefix}{number}",
            session=f"s{number // 40}",
            role="assistant" if number % 8 in (1, 6) else "user",
            occurred_at=_BEGINNING + timedelta(minutes=number),
        )
