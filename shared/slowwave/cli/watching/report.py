"""`slowwave report`: a night on a page."""

import webbrowser
from datetime import datetime
from pathlib import Path

import click

from slowwave.cli.options import opened, tenant_option


@click.command
@click.option(
    "--night",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    help="The night that ended, or ends, on that morning (UTC); the latest by default.",
)
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Where to write it.")
@click.option("--open", "show", is_flag=True, help="Show it in a browser.")
@tenant_option
def command(night: datetime | None, out: Path | None, show: bool, tenant: str | None) -> None:
    """Write a page about a night: what came in, was learned, changed, promoted, faded; and how it went.

    A night is the day from noon to noon, UTC. The page quotes what was said, and lies among the other data in
    SLOWWAVE_HOME unless --out, or SLOWWAVE_REPORTS, says otherwise.
    """
    from slowwave.memory import Memory
    from slowwave.report import Pages, write

    with opened(tenant) as parts:
        report = Memory(parts).operator().night(night.date() if night else None)
        folder = parts.settings.reports or parts.settings.home / "reports"
    path = write(report, out) if out else Pages(folder).write(report)
    click.echo(path)
    if show:
        webbrowser.open(path.resolve().as_uri())
