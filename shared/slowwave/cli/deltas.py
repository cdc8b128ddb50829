"""`slowwave deltas`: the applied deltas."""

import uuid
from datetime import datetime
from typing import get_args

import click

from slowwave.cli.options import Instant, json_option, opened, scope_options
from slowwave.cli.printing import cell, console, print_json_lines, short, table, utc
from slowwave.domain.delta import AppliedDelta, Kind
from slowwave.domain.limits import MOST_RESULTS


@click.command
@click.argument("run", type=click.IntRange(min=1), required=False)
@scope_options(user_required=False)
@click.option("--since", type=Instant(), help="Only deltas applied at this time or later, for example 2026-03-02.")
@click.option("--kind", type=click.Choice(get_args(Kind)), help="Only this kind of delta.")
@click.option("--after", type=click.UUID, metavar="ID", help="Continue after the delta with this id.")
@click.option(
    "--limit", type=click.IntRange(1, MOST_RESULTS), default=100, show_default=True, help="Maximum number of deltas."
)
@json_option
def command(
    run: int | None, user: str | None, agent: str | None, channel: str | None, tenant: str | None,
    since: datetime | None, kind: Kind | None, after: uuid.UUID | None, limit: int, as_json: bool,
) -> None:  # fmt: skip
    """List the applied deltas of all runs, or of one RUN, in the order of application.

    With --json, print one delta per line, with its sources and payload.
    """
    with opened(tenant) as parts:
        found = parts.records.deltas(
            parts.settings.tenant, user=user, agent=agent, channel=channel, run=run, since=since, kind=kind,
            after=after, most=limit,
        )  # fmt: skip
    if as_json:
        return print_json_lines(found)
    if not found:
        return click.echo("no delta matches that kind, run, scope and time: `slowwave runs` shows what each run wrote")
    _show(found)
    if len(found) == limit:
        click.echo(f"there may be more: --after {found[-1].id}")


def _show(found: list[AppliedDelta]) -> None:
    made = table("applied", "kind", "about", "why", "rule", "scope", "run", "fact", right=["run"])
    for one in found:
        made.add_row(
            utc(one.delta.promotion_ts), one.delta.kind, cell(one.text or "erased"), cell(one.delta.reason),
            cell(one.delta.rule_id), cell(f"{one.scope.user}/{one.scope.agent}/{one.scope.channel}"),
            str(one.run or "by hand"), short(one.fact) if one.fact else "",
        )  # fmt: skip
    console().print(made)
