"""Episodes and indexes as people read them, and the scope that a command reads."""

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click

from slowwave.cli.options import opened
from slowwave.cli.printing import cell, console, one_line, print_json, short, table, utc
from slowwave.domain.reading.episode import RememberedEpisode
from slowwave.domain.reading.index import IndexEntry
from slowwave.memory import Memory, MemoryScope


@contextmanager
def reading(user: str, agent: str | None, channel: str | None, tenant: str | None) -> Iterator[MemoryScope]:
    """Give the scope that is read: where `slowwave recall` looks."""
    with opened(tenant) as parts:
        yield Memory(parts).scope(user, agent=agent, channel=channel)


def show_episodes(told: Sequence[RememberedEpisode], *, as_json: bool, whose: bool) -> None:
    """Print episodes, a line each; with *whose* also the agent and channel they are of."""
    if as_json:
        return print_json(told)
    if not told:
        return click.echo("nothing was told here: `slowwave status` says how much there is at all")
    made = table("when", "session", *["agent", "channel"] * whose, "who", "said", "key", "id")
    for one in told:
        made.add_row(
            utc(one.occurred), cell(one.session),
            *[cell(name) for name in (one.scope.agent, one.scope.channel) if whose],
            cell(one.speaker or one.role), cell(one.content), cell(one.key), short(one.id),
        )  # fmt: skip
    console().print(made)


def show_index(entries: Sequence[IndexEntry], *, as_json: bool) -> None:
    """Print the entries of an index, a line each."""
    if as_json:
        return print_json(entries)
    for one in entries:
        whence = ", ".join(part for part in (one.role, one.session and f"session {one.session}", one.tier) if part)
        score = "" if one.score is None else f"{one.score:.2f}  "
        click.echo(f"{score}{one_line(one.preview)}")
        name = f"{one.kind} {short(one.id)}" if isinstance(one.id, uuid.UUID) else f"of {one.source}, {one.id}"
        told = f"      {name}; {one.tokens} tokens; {whence}; {utc(one.occurred)}"
        click.echo(click.style(one_line(told), dim=True))
    if not entries:
        click.echo("nothing is remembered that answers")
