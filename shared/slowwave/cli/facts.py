"""`slowwave facts`: what is believed."""

from datetime import datetime
from typing import get_args

import click

from slowwave.cli.options import Instant, asked, json_option, opened, whose
from slowwave.cli.printing import cell, console, day, heading, print_json, said_in, short, table
from slowwave.domain.claim import Form
from slowwave.domain.fact import Fact
from slowwave.domain.scope import Scope


@click.command
@whose(user_required=False)
@click.option("--as-of", type=Instant(), help="What was so at that time in the world, like 2026-03-02.")
@click.option("--known-at", type=Instant(), help="What was believed at that time.")
@click.option("--all", "everything", is_flag=True, help="Also what was so, or will be, at other times.")
@click.option("--form", type=click.Choice(get_args(Form)), help="Only typed facts, or only statements.")
@json_option
def command(
    user: str | None, agent: str | None, channel: str | None, tenant: str | None, as_of: datetime | None,
    known_at: datetime | None, everything: bool, form: Form | None, as_json: bool,
) -> None:  # fmt: skip
    """List what is believed of one user or of everybody, now or at any time: typed facts first, then statements.

    It is read where `slowwave recall` looks: an agent's channel and its _global, or all agents where none is named.
    """
    with opened(tenant) as parts:
        held = [
            (scope, fact)
            for scope in (scope for one in asked(parts, user=user, agent=agent, channel=channel) for scope in one.reach)
            for fact in sorted(
                parts.records.facts(scope, as_of=as_of, known_at=known_at, everything=everything, form=form),
                key=lambda fact: fact.form != "typed",
            )
        ]
    if as_json:
        return print_json([{"scope": scope, "fact": fact, "text": fact.text} for scope, fact in held])
    if not held:
        return click.echo(_NOTHING)
    _show(held)


_NOTHING = (
    "nothing is believed here: `slowwave status` says how much there is at all, and what is not read yet;\n"
    "`slowwave schedule run-now` lets it be read now rather than when it comes due"
)


def _show(held: list[tuple[Scope, Fact]]) -> None:
    ends = any(fact.valid_to for _, fact in held)
    made = table("what is believed", "confidence", "since", *["until"] * ends, "said in", "id", right=["confidence"])
    before: Scope | None = None
    for scope, fact in held:
        if scope != before:
            made.add_section()
            made.add_row(heading(scope))
            before = scope
        made.add_row(
            cell(f"  {fact.text}"), f"{fact.confidence:.2f}", day(fact.valid_from), *[day(fact.valid_to)] * ends,
            cell(said_in(fact)), short(fact.id),
        )  # fmt: skip
    console().print(made)
