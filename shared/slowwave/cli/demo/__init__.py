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
@click.option("--forget", "afresh", is_flag=True, help="Remove what the demo keeps of this checkout, and end.")
def command(home: Path | None, everything: bool, afresh: bool) -> None:
    """Live through a few days and one night of the sample, and show what is remembered.

    Starts a Postgres, a Redis, a Celery worker and a scheduler of its own, and ends them again. Two agents tell what
    happened to three people: one with the library, one that reaches only the broker. Then one night passes. Run it
    again and nothing counts twice. Each checkout keeps a demo of its own: --forget, and the next begins afresh.
    """
    from slowwave.cli.demo.home import demo_home, forget
    from slowwave.cli.demo.story import live, own_name
    from slowwave.cli.printing import console

    settings = Settings.load()
    if afresh:
        if home is not None:
            raise click.UsageError("--forget removes the demo's own home; remove another folder by hand")
        for folder in forget(settings.home):
            click.echo(f"removed {folder}")
        return
    begin_anew = f"remove {home}" if home else f"{own_name()} demo --forget"
    live(console(), home or demo_home(settings.home), most=None if everything else FACTS_SHOWN, afresh=begin_anew)
