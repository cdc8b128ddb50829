"""`slowwave doctor`: what is installed, reachable and migrated, and what to do about the rest."""

import contextlib
import sys
from collections.abc import Iterator, Sequence

import click

from slowwave import wiring
from slowwave.cli.doctor.alive import require_alive
from slowwave.cli.doctor.broker import broker
from slowwave.cli.doctor.database import database
from slowwave.cli.doctor.installation import embedded, in_force, installed, packs
from slowwave.cli.doctor.line import Line, looking_at
from slowwave.wiring import Settings

__all__ = ["command"]


@click.command
@click.option("--alive", type=click.Choice(["worker", "scheduler"]), help="Only say whether this one makes progress.")
def command(alive: str | None) -> None:
    """Say what is installed, in force, reachable and migrated, and what to do about the rest.

    Ends with status 1 when something is wrong. Nothing is changed; the embedded database is looked at if it runs.
    """
    settings = Settings.load()
    if alive is not None:
        with contextlib.closing(wiring.connect(settings)) as parts:
            click.echo(require_alive(parts, alive))
        return
    lines = [*installed(), *in_force(settings), *packs(settings)]
    lines += [] if settings.url else embedded()
    with _parts(settings, lines) as found:
        if found is not None:
            lines += database(found)
            lines += broker(found.broker_url)
    _show(lines)
    wrong = [line for line in lines if not line.good]
    click.echo(f"\n{len(wrong)} problem{'' if len(wrong) == 1 else 's'}" if wrong else "\neverything is in order")
    if wrong:
        sys.exit(1)


@contextlib.contextmanager
def _parts(settings: Settings, lines: list[Line]) -> Iterator[wiring.Parts | None]:
    """Give the parts on the database of the settings or on the embedded one, if that runs; it is not started."""
    if settings.url is None:
        parts, before = None, len(lines)
        with looking_at("postgres", lines):
            parts = wiring.join_embedded(settings)
        if len(lines) > before:
            yield None
            return
        if parts is None:
            lines.append(Line("postgres", "the embedded one does not run; `slowwave up` or `slowwave work` starts it"))
            yield None
            return
    else:
        parts = wiring.connect(settings)
    with contextlib.closing(parts):
        yield parts


def _show(lines: Sequence[Line]) -> None:
    width = max(len(line.subject) for line in lines)
    for line in lines:
        click.echo(f"{'ok ' if line.good else 'BAD'}  {line.subject:<{width}}  {line.finding}")
        if not line.good and line.remedy:
            click.echo(f"     {'':<{width}}  → {line.remedy}")
