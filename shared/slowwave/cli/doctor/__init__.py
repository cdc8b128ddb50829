"""`slowwave doctor`: checks an installation, and says how to fix each problem."""

import contextlib
import sys
from collections.abc import Iterator, Mapping, Sequence

import click

from slowwave import wiring
from slowwave.cli.doctor.installation import embedded, installed, models, packs
from slowwave.cli.doctor.line import Line, looking_at
from slowwave.cli.doctor.liveness import require_alive
from slowwave.cli.doctor.services import broker, database
from slowwave.cli.doctor.settings import in_force
from slowwave.formatting import counted
from slowwave.wiring import Settings


@click.command
@click.option(
    "--alive", type=click.Choice(["worker", "scheduler"]), help="Only check whether this process makes progress."
)
@click.option(
    "--all", "everything", is_flag=True, help="Show every setting, not only those that differ from their defaults."
)
def doctor_command(alive: str | None, everything: bool) -> None:
    """Check packages, settings, services and the schema, and print how to fix each problem.

    The command exits with status 1 when something is wrong. It changes nothing. It inspects the embedded database only
    if this database is running.
    """
    settings = Settings.load()
    if alive is not None:
        with contextlib.closing(wiring.connect(settings)) as parts:
            click.echo(require_alive(parts, alive))
        return
    groups = {
        "installed": [*installed(), *([] if settings.url else embedded())],
        "settings" if everything else "settings (--all shows those left at their defaults too)": [
            *in_force(settings, everything=everything)
        ],
        "rule packs": [*packs(settings), *models(settings)],
        "services": _services(settings),
    }
    _show(groups)
    wrong = [line.subject for lines in groups.values() for line in lines if not line.good]
    if wrong:
        click.echo(f"\n{counted(len(wrong), 'problems')}: {', '.join(wrong)}")
        sys.exit(1)
    click.echo("\neverything is in order")


def _services(settings: Settings) -> list[Line]:
    lines: list[Line] = []
    with _parts(settings, lines) as found:
        if found is not None:
            lines += database(found)
            lines += broker(found.broker_url)
    return lines


@contextlib.contextmanager
def _parts(settings: Settings, lines: list[Line]) -> Iterator[wiring.Parts | None]:
    """Yield the parts on the configured database, or on a running embedded database.

    Never starts the embedded database.
    """
    if settings.url is None:
        parts, before = None, len(lines)
        with looking_at("postgres", lines):
            parts = wiring.join_embedded(settings)
        if len(lines) > before:
            yield None
            return
        if parts is None:
            lines.append(
                Line("postgres", "the embedded Postgres does not run; `slowwave up` or `slowwave work` starts it")
            )
            yield None
            return
    else:
        parts = wiring.connect(settings)
    with contextlib.closing(parts):
        yield parts


def _show(groups: Mapping[str, Sequence[Line]]) -> None:
    width = max(len(line.subject) for lines in groups.values() for line in lines)
    for number, (group, lines) in enumerate(groups.items()):
        click.echo(f"{chr(10) if number else ''}{group}")
        for line in lines:
            about = f"  ({line.about})" if line.about else ""
            click.echo(f"{'ok ' if line.good else 'BAD'}  {line.subject:<{width}}  {line.finding}{about}")
            if not line.good and line.remedy:
                click.echo(f"     {'':<{width}}  → {line.remedy}")
