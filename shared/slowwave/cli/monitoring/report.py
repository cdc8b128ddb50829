"""`slowwave report`: an HTML report of a night."""

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
    help="The morning on which the night ends (UTC); the latest by default.",
)
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="The file to write.")
@click.option("--open", "show", is_flag=True, help="Open the report in a browser.")
@tenant_option
def command(night: datetime | None, out: Path | None, show: bool, tenant: str | None) -> None:
    """Write an HTML report of a night: received episodes; learned, changed, promoted and withdrawn facts; and the jobs.

    A night runs from noon to noon, UTC. The report quotes episodes. The command writes it under SLOWWAVE_HOME unless
    --out or SLOWWAVE_REPORTS names another place.
    """
    from slowwave.memory import Memory
    from slowwave.night_report import Pages, write

    with opened(tenant) as parts:
        report = Memory(parts).operator().night(night.date() if night else None)
        folder = parts.settings.reports or parts.settings.home / "reports"
    path = write(report, out) if out else Pages(folder).write(report)
    click.echo(path)
    if show:
        webbrowser.open(path.resolve().as_uri())
