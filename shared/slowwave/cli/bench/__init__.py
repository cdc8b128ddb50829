"""`slowwave bench`: what Slowwave reaches of what this machine's database allows, both measured in the same run."""

import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from slowwave.cli.bench.figures import Figures

if TYPE_CHECKING:
    from slowwave.embedded import EmbeddedServices


@contextmanager
def _services() -> Iterator[tuple[str, str]]:
    """Give a fresh, durable Postgres: the app's address and the owner's."""
    with _embedded() as services:
        yield services.url, services.owner_url


@contextmanager
def _embedded() -> Iterator["EmbeddedServices"]:
    from slowwave.embedded import EmbeddedServices

    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="slowwave-bench-") as home:
        Path(home).chmod(0o755)
        with EmbeddedServices.start(Path(home) / "home", redis=False) as services:
            yield services


def _run(measure: Callable[[str, str, int], Figures], count: int, as_json: bool) -> None:
    with _services() as (url, owner_url):
        figures = measure(url, owner_url, count)
    _print(figures, as_json)


def _print(figures: Figures, as_json: bool) -> None:
    click.echo(json.dumps(figures.rows) if as_json else figures.table())


@click.group(name="bench")
def command() -> None:
    """Measure this machine: Slowwave's own figure, the ceiling, and their ratio. Takes seconds to minutes."""


@command.command()
@click.option("--episodes", default=20_000, show_default=True, help="how many to push")
@click.option("--json", "as_json", is_flag=True, help="print JSON")
def ingest(episodes: int, as_json: bool) -> None:
    """Push until stored, against plain inserts of 100 rows into a table like ours."""
    from slowwave.cli.bench.ingest import measure

    _run(measure, episodes, as_json)


@command.command()
@click.option("--episodes", default=10_000, show_default=True, help="how many to push and consolidate")
@click.option("--json", "as_json", is_flag=True, help="print JSON")
def consolidate(episodes: int, as_json: bool) -> None:
    """Push, prepare and consolidate until facts can be asked for, against a bare pipeline that looks nothing up."""
    from slowwave.cli.bench.consolidate import measure

    _run(measure, episodes, as_json)


@command.command()
@click.option("--facts", default=100_000, show_default=True, help="how many are stored")
@click.option("--json", "as_json", is_flag=True, help="print JSON")
def lifecycle(facts: int, as_json: bool) -> None:
    """Refresh every strength, against a bare table; then decay, sweep and promote where 1, 10 and 100 % are due."""
    from slowwave.cli.bench.lifecycle import measure

    _run(measure, facts, as_json)


@command.command()
@click.option("--sizes", default=(1_000, 10_000, 30_000, 100_000), multiple=True, show_default=True, help="of scopes")
@click.option("--store", default=0, help="how many episodes there are in all, the rest in scopes of others; minutes")
@click.option("--fresh", is_flag=True, help="time the first question of fresh processes, too")
@click.option("--json", "as_json", is_flag=True, help="print JSON")
def recall(sizes: tuple[int, ...], store: int, fresh: bool, as_json: bool) -> None:
    """Time a recall in scopes of several sizes, against a scan of everything, which finds the same, and a bare scan."""
    from slowwave.cli.bench.recall import measure

    with _services() as (url, owner_url):
        figures = measure(url, owner_url, sizes, store=store, fresh=fresh)
    _print(figures, as_json)


@command.command()
@click.option("--turns", default=500, show_default=True, help="how long it is; one of 150 turns is measured too")
@click.option("--json", "as_json", is_flag=True, help="print JSON")
def session(turns: int, as_json: bool) -> None:
    """Have a long conversation beside a worker: what stays in mind, what comes back, and what was at hand before."""
    from slowwave.cli.bench.session import measure

    _run(measure, turns, as_json)


@command.command(name="async")
@click.option("--episodes", default=2_000, show_default=True, help="how many the scope has that is asked")
@click.option("--json", "as_json", is_flag=True, help="print JSON")
def asynchronous(episodes: int, as_json: bool) -> None:
    """Push and recall 50 at once on one loop, and say how long it stalled: awaited, and the sync face in threads."""
    from slowwave.cli.bench.asynchronous import measure

    _run(measure, episodes, as_json)


@command.command()
@click.option("--clients", default=32, show_default=True, help="how many push and recall at once")
@click.option("--seconds", default=30.0, show_default=True, help="how long they do, each of three times")
@click.option("--json", "as_json", is_flag=True, help="print JSON")
def api(clients: int, seconds: float, as_json: bool) -> None:
    """Push and recall over HTTP, against the library's recall; then while a worker is killed, then Postgres."""
    from slowwave.cli.bench.api import measure

    with _embedded() as services:
        figures = measure(services, clients, seconds)
    _print(figures, as_json)


@command.command()
@click.option("--entities", default=12_000, show_default=True, help="how many one agent knows")
@click.option("--json", "as_json", is_flag=True, help="print JSON")
def graph(entities: int, as_json: bool) -> None:
    """Time walks, questions and loads of a graph, against the bare statement that reads its edges."""
    from slowwave.cli.bench.graph import measure

    _run(measure, entities, as_json)


@command.command()
@click.option("--json", "as_json", is_flag=True, help="print JSON")
def rules(as_json: bool) -> None:
    """Read texts and rule files made to stop a worker, against splitting the same text into words."""
    from slowwave.cli.bench.rules import measure

    _print(measure(), as_json)


@command.command()
@click.option("--episodes", default=2_000, show_default=True, help="how many to plan and read")
@click.option("--json", "as_json", is_flag=True, help="print JSON")
def model(episodes: int, as_json: bool) -> None:
    """Plan what a model is asked and read made-up replies, against a bare pipeline. No model is asked."""
    from slowwave.cli.bench.model import measure

    _run(measure, episodes, as_json)


@command.command()
@click.argument("folder", type=click.Path(path_type=Path), required=False, metavar="[DIR]")
@click.option("--json", "as_json", is_flag=True, help="print JSON")
def lives(folder: Path | None, as_json: bool) -> None:
    """Tell the lives in each folder of DIR, or a checkout's own, and mark what is believed and found of them."""
    from slowwave.cli.bench.lives import LIVES, measure, read

    told = read(folder or LIVES)
    with _services() as (url, owner_url):
        figures = measure(url, owner_url, told)
    _print(figures, as_json)


@command.command(name="all")
@click.pass_context
def everything(context: click.Context) -> None:
    """Run every benchmark."""
    context.invoke(ingest)
    context.invoke(consolidate)
    context.invoke(model)
    context.invoke(lifecycle)
    context.invoke(recall)
    context.invoke(session)
    context.invoke(graph)
    context.invoke(asynchronous)
    context.invoke(api)
    context.invoke(rules)
    context.invoke(lives)
