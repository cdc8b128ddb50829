"""Slowwave beside other memories on the same talk, machine and Postgres, each told in twenties, its model a stub.

    python -m ops.peers [--turns 1000] [--python ENVIRONMENT/bin/python]

`--python` is that of an environment with the peers (ops/peers/requirements.txt); without it Slowwave runs alone.
"""

import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import click
import psycopg

from ops.peers.stub import Stub, endpoint
from slowwave import wiring
from slowwave.cli.bench.session import Exchange, talk
from slowwave.domain.episode import Episode, Role
from slowwave.embedded_services import EmbeddedServices
from slowwave.memory import Memory
from slowwave.wiring import Settings

PEERS = ("mem0", "langmem")
WITHIN = (1, 5, 10)
QUIET = {**os.environ, "MEM0_TELEMETRY": "False", "LANGSMITH_TRACING": "false"}


@click.command
@click.option("--turns", "length", default=1_000, show_default=True, help="how long the talk is")
@click.option("--python", type=click.Path(exists=True), help="the Python of the peers' environment")
def main(length: int, python: str | None) -> None:
    """Print a table: evidence found, episodes told a second until they can be asked for, recall, and model calls."""
    said = list(talk(length))
    words = {one.key: one.words for one in said}
    asked = [one for one in said if one.needs is not None]
    needed = [words[str(one.needs)] for one in asked]
    row("", *(f"R@{k}" for k in WITHIN), "episodes/s", "recall p50 ms", "p95 ms", "model calls")
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="slowwave-peers-") as folder:
        Path(folder).chmod(0o755)
        with EmbeddedServices.start(Path(folder) / "home", redis=False) as services:
            parts = prepared(services)
            tell("slowwave", slowwave(services.url, said, asked), needed, len(said) * 2, 0)
            file = Path(folder) / "talk.json"
            messages = [{"role": role, "content": text} for one in said for role, text in turns(one)]
            dimensions = len(parts.embedder.embed(["a"])[0])
            file.write_text(json.dumps(
                {"messages": messages, "questions": [one.words for one in asked], "dimensions": dimensions}
            ))  # fmt: skip
            for name in PEERS if python else ():
                stub = Stub([one.words for one in said])
                with endpoint(stub, parts.embedder) as model:
                    program = Path(__file__).with_name(f"with_{name}.py")
                    command = [str(python), str(program), database(services, name), model, str(file)]
                    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=QUIET)
                tell(name, json.loads(done.stdout.splitlines()[-1]), needed, len(messages), stub.calls)
            parts.close()


def prepared(services: EmbeddedServices) -> wiring.Parts:
    """Return the parts of an installation with the packs that ship."""
    wiring.migrate_database(services.owner_url)
    parts = wiring.connect(Settings.load(url=services.url))
    wiring.register(parts)
    return parts


def turns(said: Exchange) -> tuple[tuple[Role, str], tuple[Role, str]]:
    """Return what the user and the assistant say, each with its role."""
    return ("user", said.words), ("assistant", said.reply)


def slowwave(url: str, said: list[Exchange], asked: list[Exchange]) -> dict[str, Any]:
    """Return what Slowwave took and found, in the form that peers print: told in twenties, then worked through."""
    episodes = [
        Episode(content=text, key=f"{one.key}{role}", session="s", role=role)
        for one in said
        for role, text in turns(one)
    ]
    with Memory.connect(url) as memory:
        scope = memory.scope("nora")
        began = time.perf_counter()
        for first in range(0, len(episodes), 20):
            scope.push_many(episodes[first : first + 20])
        scope.end_session("s")
        memory.drain(600)
        seconds = time.perf_counter() - began
        contents = {one.key: one.content for one in episodes}
        found = []
        for question in asked:
            began = time.perf_counter()
            results = scope.recall(question.words, limit=max(WITHIN))
            taken = time.perf_counter() - began
            texts = [" ".join([one.text, *(contents.get(each.key, "") for each in one.sources)]) for one in results]
            found.append({"seconds": taken, "texts": texts})
    return {"seconds": seconds, "found": found}


def database(services: EmbeddedServices, name: str) -> str:
    """Return the address of a new database for a peer, with pgvector in it."""
    with psycopg.connect(services.superuser_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE peer_{name}")
    url = services.postgres.url("postgres", f"peer_{name}")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    return url


def tell(name: str, measured: dict[str, Any], needed: list[str], episodes: int, calls: int) -> None:
    """Print the row of one memory."""
    hits = [
        next((rank for rank, text in enumerate(one["texts"]) if words in text), None)
        for one, words in zip(measured["found"], needed, strict=True)
    ]
    times = [1000 * one["seconds"] for one in measured["found"]]
    shares = [sum(hit is not None and hit < k for hit in hits) / len(hits) for k in WITHIN]
    row(
        name, *(f"{share:.3f}" for share in shares), f"{episodes / measured['seconds']:.0f}",
        f"{statistics.median(times):.1f}", f"{statistics.quantiles(times, n=20)[18]:.1f}", str(calls),
    )  # fmt: skip


def row(*cells: str) -> None:
    """Print cells as a row of the table."""
    click.echo("".join(f"{cell:>14}" for cell in cells))


if __name__ == "__main__":
    main()
