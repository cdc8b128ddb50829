"""Output of episodes and indexes."""

import uuid
from collections.abc import Sequence

import click

from slowwave.cli.printing import cell, one_line, print_json, print_listing, short, utc
from slowwave.domain.queries.episode import RememberedEpisode
from slowwave.domain.queries.index import IndexEntry


def show_episodes(episodes: Sequence[RememberedEpisode], *, as_json: bool, every_agent: bool) -> None:
    """Print episodes, one per line; with *every_agent*, also their agent and channel."""
    print_listing(
        episodes, as_json=as_json, none="no episodes here: `slowwave status` shows what is stored",
        columns=["when", "session", *["agent", "channel"] * every_agent, "who", "said", "key", "id"],
        row=lambda one: [
            utc(one.occurred), cell(one.session),
            *[cell(name) for name in (one.scope.agent, one.scope.channel) if every_agent],
            cell(one.speaker or one.role), cell(one.content), cell(one.key), short(one.id),
        ],
    )  # fmt: skip


def show_index(entries: Sequence[IndexEntry], *, as_json: bool) -> None:
    """Print the entries of an index, one per line."""
    if as_json:
        return print_json(entries)
    for one in entries:
        whence = ", ".join(part for part in (one.role, one.session and f"session {one.session}", one.tier) if part)
        score = "" if one.score is None else f"{one.score:.2f}  "
        click.echo(f"{score}{one_line(one.preview)}")
        name = f"{one.kind} {short(one.id)}" if isinstance(one.id, uuid.UUID) else f"of {one.source}, {one.id}"
        text = f"      {name}; {one.tokens} tokens; {whence}; {utc(one.occurred)}"
        click.echo(click.style(one_line(text), dim=True))
    if not entries:
        click.echo("no memory matches")
