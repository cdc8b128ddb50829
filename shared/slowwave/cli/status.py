"""`slowwave status`: how much there is, and how far the work has come."""

import click

from slowwave.cli.options import json_option, opened, tenant_option
from slowwave.cli.printing import day, in_words, print_json, seconds, utc


@click.command
@tenant_option
@json_option
def command(tenant: str | None, as_json: bool) -> None:
    """Say how much is stored, waiting, running and buried."""
    with opened(tenant) as parts:
        now = parts.records.overview(parts.settings.tenant)
    if as_json:
        return print_json(now)
    letters = sum(now.dead_letters.values())
    lines = {
        "scopes": f"{now.scopes}",
        "episodes": f"{now.episodes}"
        + (f", {now.behind} of them not read yet" if now.behind else ", all of them read"),
        "facts": f"{now.facts} believed now",
        "deltas": in_words(now.deltas) or "none",
        "work": f"{now.waiting} waiting, {now.running} running",
        "lag": seconds(now.lag) if now.lag else "none: nothing is overdue",
        "dead letters": f"{letters} open: {in_words(now.dead_letters)}" if letters else "none",
        "partitions": ", ".join(f"{name} until {day(until)}" for name, until in now.partitions.items()),
        "last tick": utc(now.ticked) or "never: no scheduler has run here",
    }
    for name, text in lines.items():
        click.echo(f"{name:<13}{text}")
