"""A summary as it is told: every line with its day, and as many lines as there is room for."""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime

from slowwave.core.summaries.rolling import Line, worth
from slowwave.core.tokens import tokens
from slowwave.domain.reading.summary import SummaryLine


def fitting(lines: Sequence[Line], occurred: Mapping[uuid.UUID, datetime], *, most: int) -> list[SummaryLine]:
    """Return the *lines* that say most in at most so many tokens, each dated, in the order they were said.

    A line too long for the room that is left makes way for shorter ones. *occurred* is when each episode did; a line
    of any other rests on words that are gone, and is left out.
    """
    there = [line for line in lines if all(source.episode in occurred for source in line.sources)]
    told = [dated(line, occurred[line.source.episode]) for line in there]
    chosen, room = set[int](), most
    for number in sorted(range(len(told)), key=lambda number: (-worth(there[number].text), number)):
        cost = tokens(told[number].text + "\n")
        if cost <= room:
            chosen.add(number)
            room -= cost
    return [told[number] for number in sorted(chosen)]


def dated(line: Line, occurred: datetime) -> SummaryLine:
    """Return a line as it is told: the day by the speaker's own clock, who, and what was said."""
    return SummaryLine(f"{occurred.date().isoformat()} {line.text}", occurred, line.source, line.more)


def by_model(model: str) -> str:
    """Return how it is said that a *model* tells: by its name without protocol and settings.

    >>> by_model("openai:small?temperature=0")
    'model small'
    """
    return f"model {model.partition(':')[2].partition('?')[0] or model}"
