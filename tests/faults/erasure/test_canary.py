"""Planted words are searched for in every file of an embedded installation after somebody is forgotten: none is found."""

import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from slowwave import queue
from slowwave.embedded.binaries import postgres_programs
from slowwave.memory import Memory
from slowwave.memory.face import parts_of
from slowwave.wiring import Settings, open_parts
from tests.contract.erasure.planting import PET, SPORT, TASK, TOWN, live
from tests.folders import quick

NAMES = ("Plumkin", "trystsession")
PLANTED = (TOWN, PET, SPORT, TASK, *NAMES)
STEMS = tuple(word.lower()[:9] for word in PLANTED)
"""The beginnings of the words, which their lexemes share in lower case."""


@pytest.fixture
def home() -> Iterator[Path]:
    """A home whose services end with the test."""
    with tempfile.TemporaryDirectory(dir=quick(), prefix="slowwave-canary-", ignore_cleanup_errors=True) as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


def holding(folder: Path) -> dict[str, set[str]]:
    """Return the files below *folder* that contain a planted word or the beginning of its lexeme."""
    found: dict[str, set[str]] = {}
    for path in folder.rglob("*"):
        if path.is_file():
            held = path.read_bytes().lower()
            if hits := {stem for stem in STEMS if stem.encode() in held}:
                found[str(path.relative_to(folder))] = hits
    return found


def written(memory: Memory) -> None:
    """Let the server sample every column, and write all that it holds in memory to its files."""
    services = parts_of(memory).services
    assert services is not None
    with psycopg.connect(services.postgres.url("postgres"), autocommit=True) as admin:
        admin.execute("ANALYZE")
        admin.execute("CHECKPOINT")


def dumped(memory: Memory, home: Path) -> str:
    """Return a dump of the whole database."""
    services = parts_of(memory).services
    assert services is not None
    program = postgres_programs(services.postgres.account, services.postgres.folder) / "pg_dump"
    address = services.postgres.url("postgres")
    done = subprocess.run([program, address], capture_output=True, check=True, text=True)
    return done.stdout


@pytest.mark.timeout(600)
def test_no_file_of_the_installation_holds_a_planted_word_after_the_second_step(home: Path) -> None:
    settings = Settings.load(home=home / "home", audit="verbose", outbox=home / "home" / "outbox.db")
    parts = open_parts(settings, redis=True)
    with Memory(parts) as memory:
        assert parts.services is not None
        assert parts.broker_url is not None
        queue.configure(parts.broker_url)
        live(memory, "Plumkin", session="trystsession")
        stays = memory.scope("Grundel", agent="helper", channel="trip")
        stays.push("I live in Bergen and I like tea.", session="other")
        stays.consolidate()
        queue.send(queue.INGEST, kwargs={"scope": {"tenant": "default", "user": "Plumkin"}, "said": TOWN})
        with queue.redis_client(parts.broker_url) as broker:
            broker.hset("unacked", "tag", f'["{TOWN}", {{"user": "Plumkin"}}]')
            broker.rpush(f"{queue.RECEIPTS}host", f'["{uuid.uuid4()}", "no field {TOWN}"]')
        written(memory)
        before = holding(home)
        assert {name.split("/")[1] for name in before} >= {"postgres", "redis"}, before
        assert any("pg_wal" in name for name in before)
        assert TOWN in dumped(memory, home)

        first = memory.forget(user="Plumkin", rewrite=False)

        assert not [word for word in PLANTED if word.lower() in dumped(memory, home).lower()]
        assert first.rewritten is None
        assert len(first.todo) == 1
        log = holding(home / "home" / "postgres" / "data" / "pg_wal")
        written(memory)
        left = holding(home)
        assert log
        assert {name.split("/")[1] for name in left} == {"postgres", "redis"}, "what the second step is for"
        assert "base" in {part for name in left for part in name.split("/")}

        assert memory.rewrite_erased() == 1

        assert holding(home) == {}
        (receipt,) = memory.erasures()
        assert receipt.rewritten is not None
        assert receipt.todo == ()
        assert stays.facts()
    parts.services.stop()
    assert holding(home) == {}
    shutil.rmtree(home / "home", ignore_errors=True)
