"""`slowwave demo`: a few days, one night, and the morning after."""

from pathlib import Path

import click

from slowwave.wiring import Settings

FACTS_SHOWN = 7
"""Of each of the six scopes: about a screenful."""


@click.command
@click.option(
    "--home", type=click.Path(path_type=Path), help="Where the demo lives; beside the embedded services' home."
)
@click.option("--all", "everything", is_flag=True, help="Show every fact, not a screenful.")
def command(home: Path | None, everything: bool) -> None:
    """Live through a few days and one night of the sample, and show what is remembered.

    Starts a Postgres, a Redis, a Celery worker and a scheduler of its own, and ends them again. Two agents tell what
    happened to three people: one with the library, one that reaches only the broker. Then one night passes. Run it
    again and nothing counts twice.
    """
    from slowwave.cli.demo.night import live
    from slowwave.cli.demo.sample import version
    from slowwave.cli.printing import console

    settings = Settings.load()
    home = home or settings.home.with_name(f"{settings.home.name}-demo-{version()}")
    live(console(), home, most=None if everything else FACTS_SHOWN)
