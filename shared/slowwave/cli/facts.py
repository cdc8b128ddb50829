"""`slowwave facts`: the facts about one user or all users."""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from shlex import quote
from typing import get_args

import click

from slowwave.cli.options import Instant, json_option, opened, scope_options, scopes_to_query
from slowwave.cli.printing import cell, console, day, heading, keys_or_session, print_json, short, table
from slowwave.domain.claim import Form
from slowwave.domain.fact import Fact
from slowwave.domain.limits import MOST_RESULTS
from slowwave.domain.queries.unread import UnreadTurns
from slowwave.domain.scope import Scope
from slowwave.memory.queries.lookup import fact_id
from slowwave.memory.queries.unread import count_unread


@click.command
@scope_options(user_required=False)
@click.option("--as-of", type=Instant(), help="Facts that were true at this time, like 2026-03-02.")
@click.option("--known-at", type=Instant(), help="Facts as Slowwave believed them at this time.")
@click.option("--all", "everything", is_flag=True, help="Include facts that were or will be true at other times.")
@click.option("--form", type=click.Choice(get_args(Form)), help="Only typed facts, or only statements.")
@click.option("--limit", type=click.IntRange(1, MOST_RESULTS), help="Maximum facts per page, sorted by subject.")
@click.option("--after", metavar="ID", help="Continue after this fact: the id of the last fact shown.")
@json_option
def command(
    user: str | None, agent: str | None, channel: str | None, tenant: str | None, as_of: datetime | None,
    known_at: datetime | None, everything: bool, form: Form | None, limit: int | None, after: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    """List the facts believed about one user or all users, now or at another time: typed facts first, then statements.

    With --agent, the list covers the agent's channel and its channel _global; without it, all agents. To read a long
    list page by page, use `--limit 100`; for each further page, add `--after` with the id of the last fact.
    """
    with opened(tenant) as parts:
        scopes = [
            scope for one in scopes_to_query(parts, user=user, agent=agent, channel=channel) for scope in one.reach
        ]
        read = partial(parts.records.facts, as_of=as_of, known_at=known_at, everything=everything, form=form)
        if limit is None and after is None:
            held = [fact for scope in scopes for fact in sorted(read(scope), key=lambda fact: fact.form != "typed")]
        else:
            behind = None if after is None else fact_id(parts, after, parts.settings.tenant)
            held = read(scopes[0], among=scopes[1:], after=behind, most=limit) if scopes else []
        left = parts.records.strengths(parts.settings.tenant, held)
        unread = UnreadTurns() if as_json else count_unread(parts, scopes)
    if as_json:
        return print_json(
            [{"scope": one.scope, "fact": one, "text": one.text, "strength": left[one.id]} for one in held]
        )
    if held:
        _show(held, left)
    elif after is not None:
        click.echo("there are no facts after it")
    else:
        click.echo("no facts here" if unread.languages else _NOTHING)
    if held and len(held) == limit:
        click.echo(f"there may be more: --after {short(held[-1].id)}")
    if unread.languages:
        click.echo(
            " ".join(
                filter(
                    None,
                    (
                        unread.sentence,
                        unread.remedy,
                        f"`slowwave unread --user {quote(user or 'NAME')}` lists these turns.",
                    ),
                )
            )
        )


_NOTHING = (
    "no facts here: `slowwave status` shows how many episodes are stored and how many are unread;\n"
    "`slowwave schedule run-now` makes them due now, for a running worker or `slowwave work --until-idle`"
)


def _show(facts: Sequence[Fact], left: Mapping[uuid.UUID, float]) -> None:
    ends = any(fact.valid_to for fact in facts)
    fades = any(abs(fact.confidence - left[fact.id]) >= 0.005 for fact in facts)
    made = table(
        "what is believed", "confidence", *["strength"] * fades, "since", *["until"] * ends, "said in", "id",
        right=["confidence", "strength"],
    )  # fmt: skip
    before: Scope | None = None
    for fact in facts:
        if fact.scope != before:
            made.add_section()
            made.add_row(heading(fact.scope))
            before = fact.scope
        made.add_row(
            cell(f"  {fact.text}"), f"{fact.confidence:.2f}", *[f"{left[fact.id]:.2f}"] * fades,
            day(fact.valid_from), *[day(fact.valid_to)] * ends, cell(keys_or_session(fact)), short(fact.id),
        )  # fmt: skip
    console().print(made)
