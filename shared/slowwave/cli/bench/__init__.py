"""`slowwave bench`: measures the speed of Slowwave and, in the same run, of the bare database, which is the upper
limit.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from slowwave.cli.bench.figures import Figures, home_of_services

if TYPE_CHECKING:
    from slowwave.embedded_services import EmbeddedServices
T = TypeVar("T")
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")


@contextmanager
def _services() -> Iterator["EmbeddedServices"]:
    """Yield a new, durable Postgres."""
    from slowwave.embedded_services import EmbeddedServices

    with home_of_services() as home, EmbeddedServices.start(home / "home", redis=False) as services:
        yield services


def _run(measure: Callable[[str, str, T], Figures], what: T, as_json: bool) -> None:
    with _services() as services:
        _print(measure(services.url, services.owner_url, what), as_json)


def _print(figures: Figures, as_json: bool) -> None:
    click.echo(json.dumps(figures.rows) if as_json else figures.table())


@click.group(name="bench")
def bench_command() -> None:
    """Run benchmarks. Each benchmark compares Slowwave with a bare operation, measured in the same run."""


@bench_command.command()
@click.option("--episodes", default=20_000, show_default=True, help="Episodes to push.")
@_json
def ingest(episodes: int, as_json: bool) -> None:
    """Measure pushes. Compare with plain inserts of 100 rows into a similar table."""
    from slowwave.cli.bench.ingest import measure

    _run(measure, episodes, as_json)


@bench_command.command()
@click.option(
    "--episodes",
    default=10_000,
    type=click.IntRange(min=100),
    show_default=True,
    help="Episodes measured in each of the two runs; each run first warms up with a tenth as many.",
)
@_json
def consolidate(episodes: int, as_json: bool) -> None:
    """Measure push, preparation and consolidation. Compare with two pipelines that only write rows."""
    from slowwave.cli.bench.consolidate import measure

    _run(measure, episodes, as_json)


@bench_command.command()
@click.option("--facts", default=100_000, show_default=True, help="Facts to store.")
@_json
def lifecycle(facts: int, as_json: bool) -> None:
    """Measure the nightly jobs, and the time to recompute how far every memory has faded.

    Compare the recomputation with an update of a plain table.
    """
    from slowwave.cli.bench.filled_store import measure_lifecycle

    _run(measure_lifecycle, facts, as_json)


@bench_command.command()
@click.option(
    "--sizes",
    default=(1_000, 10_000, 30_000),
    multiple=True,
    show_default=True,
    help="Episodes to which the queried scope grows; may be repeated.",
)
@click.option("--large", is_flag=True, help="Let the scope also grow to 100,000 episodes. Takes minutes.")
@click.option(
    "--store",
    default=0,
    help="Total episodes in the database, including scopes that no question searches. Takes minutes.",
)
@click.option("--fresh", is_flag=True, help="Also time the first question of fresh processes.")
@click.option(
    "--talk",
    type=click.Path(path_type=Path),
    help="Use real talk instead of invented talk: a folder of JSON files, each with `episodes` (speaker and content) "
    "and `questions`.",
)
@_json
def recall(sizes: tuple[int, ...], large: bool, store: int, fresh: bool, talk: Path | None, as_json: bool) -> None:
    """Measure recalls in a scope that grows, beside a small scope. Compare with a full scan and a bare vector scan.

    Texts repeat, with a number behind each, and rules find facts and statements in them.
    """
    from slowwave.cli.bench.recall import LARGE, Talk, measure

    told = None if talk is None else Talk.read(talk)
    _run(partial(measure, store=store, fresh=fresh, talk=told), (*sizes, LARGE) if large else sizes, as_json)


@bench_command.command()
@click.option(
    "--turns",
    default=500,
    show_default=True,
    help="Turns of the long session. The benchmark also measures a session of 150 turns.",
)
@_json
def session(turns: int, as_json: bool) -> None:
    """Measure a long conversation while a worker runs.

    Measure working memory, recall of evicted turns, and prefetching.
    """
    from slowwave.cli.bench.session import measure

    _run(measure, turns, as_json)


@bench_command.command(name="async")
@click.option("--episodes", default=2_000, show_default=True, help="Episodes in the scope that the recalls query.")
@_json
def asynchronous(episodes: int, as_json: bool) -> None:
    """Measure the longest stalls of an event loop.

    The loop runs 50 pushes and 50 recalls, once with AsyncMemory and once with the sync API in threads.
    """
    from slowwave.cli.bench.asynchronous import measure

    _run(measure, episodes, as_json)


@bench_command.command()
@click.option("--clients", default=32, show_default=True, help="Clients that push and recall at once.")
@click.option(
    "--seconds",
    default=30.0,
    show_default=True,
    help="Seconds of each of three measurements: undisturbed, with a killed worker, with a restart of Postgres.",
)
@click.option("--processes", default=1, show_default=True, help="Processes of the API.")
@_json
def api(clients: int, seconds: float, processes: int, as_json: bool) -> None:
    """Measure push and recall over HTTP and in the library.

    The benchmark repeats this while a worker is killed, and while Postgres restarts.
    """
    from slowwave.cli.bench.api import measure

    with _services() as services:
        _print(measure(services, clients, seconds, processes), as_json)


@bench_command.command()
@click.option("--entities", default=12_000, show_default=True, help="Entities in the graph.")
@_json
def graph(entities: int, as_json: bool) -> None:
    """Measure walks, queries and loads of a graph. Compare with the SQL statement that reads the graph's edges."""
    from slowwave.cli.bench.filled_store import measure_graph

    _run(measure_graph, entities, as_json)


@bench_command.command()
@_json
def rules(as_json: bool) -> None:
    """Measure the rules on texts and files made to slow them down.

    Compare with the time to split the texts into words.
    """
    from slowwave.cli.bench.rules import measure

    _print(measure(), as_json)


@bench_command.command()
@click.option("--episodes", default=2_000, show_default=True, help="Episodes to plan and read.")
@_json
def model(episodes: int, as_json: bool) -> None:
    """Measure the planning of model calls and the reading of replies. The replies are samples; no model is called."""
    from slowwave.cli.bench.model import measure

    _run(measure, episodes, as_json)


@bench_command.command()
@click.argument("folder", type=click.Path(path_type=Path), required=False, metavar="[DIR]")
@_json
def lives(folder: Path | None, as_json: bool) -> None:
    """Score facts and recall on sample conversations.

    Each folder of DIR has a set of conversations. DIR is `ops/lives` by default.
    """
    from slowwave.cli.bench.lives import LIVES, measure, read

    _run(measure, read(folder or LIVES), as_json)


@bench_command.command(name="all")
@click.pass_context
def everything(context: click.Context) -> None:
    """Run every benchmark."""
    for bench in (ingest, consolidate, model, lifecycle, recall, session, graph, asynchronous, api, rules, lives):
        context.invoke(bench)
