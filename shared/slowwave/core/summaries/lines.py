"""The lines of a summary: dated, and as many as fit."""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime

from slowwave.core.summaries.extractive_summary import Line, informativeness
from slowwave.core.tokens import tokens
from slowwave.domain.queries.summary import SummaryLine


def fitting(lines: Sequence[Line], occurred: Mapping[uuid.UUID, datetime], *, most: int) -> list[SummaryLine]:
    """Return the most informative *lines* that fit in *most* tokens, each dated, in the order they were said.

    A line that does not fit is skipped for shorter ones. *occurred* gives the time of each episode; a line of any other
    episode is left out, as its source is gone.
    """
    there = [line for line in lines if all(source.episode in occurred for source in line.sources)]
    told = [dated(line, occurred[line.source.episode]) for line in there]
    chosen, room = set[int](), most
    for number in sorted(range(len(told)), key=lambda number: (-informativeness(there[number].text), number)):
        cost = tokens(told[number].text + "\n")
        if cost <= room:
            chosen.add(number)
            room -= cost
    return [told[number] for number in sorted(chosen)]


def dated(line: Line, occurred: datetime) -> SummaryLine:
    """Return a line with its date, by the speaker's own clock, its speaker and its words."""
    return SummaryLine(f"{occurred.date().isoformat()} {line.text}", occurred, line.source, line.more)


def by_model(model: str) -> str:
    """Return the author label for a *model*: its name without protocol and settings.

    >>> by_model("openai:small?temperature=0")
    'model small'
    """
    return f"model {model.partition(':')[2].partition('?')[0] or model}"
