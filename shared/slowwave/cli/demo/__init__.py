"""`slowwave demo`: a demonstration of a few days, one night, and the following morning."""

from pathlib import Path

import click

from slowwave.wiring import Settings

FACTS_SHOWN = 7
"""The number of facts that are shown per scope. The facts of all six scopes fill about one screen."""


@click.command
@click.option(
    "--home",
    type=click.Path(path_type=Path),
    help="The demo's folder; by default beside the home of the embedded services.",
)
@click.option("--all", "everything", is_flag=True, help="Show every fact, not only the first of each scope.")
@click.option("--forget", "afresh", is_flag=True, help="Remove the demo's data of this checkout, and exit.")
def demo_command(home: Path | None, everything: bool, afresh: bool) -> None:
    """Run a demo: a few days of episodes and one night of consolidation; show the resulting facts.

    The demo starts its own Postgres, Redis, Celery worker and scheduler, and stops them at the end. Two agents push
    episodes about three people: one agent uses the library, the other only the broker. Then the nightly jobs run. If
    you repeat the demo, nothing is stored twice. Each checkout has its own demo data; --forget removes the data, so
    that the next run starts from scratch.
    """
    from slowwave.cli.demo.sample import demo_home, forget
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
