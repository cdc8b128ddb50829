"""A killed erasure can be repeated, and afterwards no file, key or dump holds an erased word."""

import base64
import re
import shutil
import subprocess
import uuid
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path

import psycopg
import pytest

from slowwave import wiring
from slowwave.broker import queue
from slowwave.domain.episode import Episode
from slowwave.domain.night_report import night_of
from slowwave.domain.personal_data import FILES, KEYS
from slowwave.domain.scope import Scope
from slowwave.embedded_services import PostgresServer
from slowwave.embedded_services.binaries import postgres_programs
from slowwave.memory import Memory
from slowwave.memory.verb_group import parts_of
from slowwave.night_report import Pages
from slowwave.runtime import clock
from slowwave.wiring import Settings, open_parts
from tests.contract.erasure.planting import PET, SPORT, TASK, TOWN, live
from tests.faults.rig.killed import dies

CANARY = "Quixelburg"
CHANNELS = ("one", "two", "three")


def tell(memory: Memory, user: str) -> None:
    """Push a home of *user* in three channels."""
    for channel in CHANNELS:
        scope = memory.scope(user, agent="a", channel=channel)
        scope.push(f"I live in {CANARY}.", key=f"{user}-{channel}", session="s")
        scope.consolidate()


def forget(parts: wiring.Parts) -> None:
    Memory(parts).forget(user="ann", rewrite=False)


def left(admin: psycopg.Connection) -> dict[str, set[str]]:
    """Return the tables that contain the canary, by scope, for tables with a scope."""
    found: dict[str, set[str]] = {}
    for table, column in (("episodes", "content"), ("facts", "text"), ("entities", "name")):
        asked = f"SELECT DISTINCT scope::text FROM {table} WHERE {column} LIKE '%{CANARY}%' AND tenant = 'default'"
        for (scope,) in admin.execute(asked.encode()).fetchall():
            found.setdefault(scope, set()).add(table)
    return found


@pytest.mark.accept
@pytest.mark.timeout(600)
def test_a_killed_erasure_leaves_whole_scopes_and_a_repeated_one_finishes(
    parts: wiring.Parts, superuser: psycopg.Connection
) -> None:
    memory = Memory(parts)
    tell(memory, "ann")
    tell(memory, "bob")
    whole = left(superuser)
    assert set(map(len, whole.values())) == {3}
    of_bob = {str(memory.scope("bob", agent="a", channel=channel).scope.id) for channel in CHANNELS}

    ends, seen = 1, []
    while dies(forget, parts.url, ends):
        ends += 1
        now = left(superuser)
        assert all(tables == whole[scope] for scope, tables in now.items()), f"half done after end {ends - 1}"
        assert of_bob <= now.keys()
        seen.append(len(now))

    assert ends > 6
    assert {6, 5, 4} <= set(seen), "killed before, between and after the scopes"
    assert left(superuser).keys() == of_bob
    (receipt,) = memory.erasures()
    assert receipt.erased is not None
    assert receipt.scopes == 4
    assert memory.verify_erasure(receipt)
    assert [str(one) for one in wiring.checks(parts.database).findings(folds=None)] == []
    memory.drain()
    assert [str(one) for one in wiring.checks(parts.database).findings(folds=None)] == []


NAMES = ("Plumkin", "trystsession")
PLANTED = (TOWN, PET, SPORT, TASK, *NAMES)
ENCODED = re.compile(r"[A-Za-z0-9+/]{24,}")
STEMS = tuple(word.lower()[:9] for word in PLANTED)
"""The beginnings of the words in lower case, which their lexemes share."""


def holding(folder: Path, stems: Sequence[str] = STEMS) -> dict[str, set[str]]:
    """Return the files below *folder* that contain one of *stems*: the beginnings of planted words."""
    found: dict[str, set[str]] = {}
    for path in folder.rglob("*"):
        if path.is_file():
            held = path.read_bytes().lower()
            if hits := {stem for stem in stems if stem.encode() in held}:
                found[str(path.relative_to(folder))] = hits
    return found


def keys(url: str) -> set[str]:
    """Return the keys of a Redis with a planted word in their names or values."""
    with queue.redis_client(url) as client:
        found = set()
        for key in client.scan_iter():
            kind = client.type(key)
            held = {
                "list": lambda key=key: client.lrange(key, 0, -1), "hash": lambda key=key: client.hgetall(key),
                "string": lambda key=key: client.get(key), "set": lambda key=key: client.smembers(key),
            }.get(kind, lambda: "")()  # fmt: skip
            said = f"{key} {held}"
            said += "".join(base64.b64decode(part + "==").decode(errors="ignore") for part in ENCODED.findall(said))
            if any(stem in said.lower() for stem in STEMS):
                found.add(key)
    return found


def written(memory: Memory) -> None:
    """Analyse every column, and flush the server's memory to its files."""
    with psycopg.connect(postgres_of(memory).url("postgres"), autocommit=True) as admin:
        admin.execute("ANALYZE")
        admin.execute("CHECKPOINT")


def dumped(memory: Memory) -> str:
    """Return a dump of the whole database."""
    server = postgres_of(memory)
    program = postgres_programs(server.account, server.folder) / "pg_dump"
    return subprocess.run([program, server.url("postgres")], capture_output=True, check=True, text=True).stdout


def postgres_of(memory: Memory) -> PostgresServer:
    services = parts_of(memory).services
    assert services is not None
    return services.postgres


@pytest.mark.timeout(600)
def test_rewriting_after_an_erasure_clears_the_words_from_all_files(folder: Path) -> None:
    settings = Settings.load(home=folder / "home", audit="verbose", outbox=folder / "home" / "outbox.db")
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
        assert parts.outbox is not None
        for user in ("Plumkin", "Grundel"):
            waiting = Episode(content=f"Nothing of {user}", session="trystsession" if user == "Plumkin" else "other")
            parts.outbox.add(Scope("default", user, "helper"), [waiting])
        Pages(folder / "home" / "reports").write(memory.operator().night(night_of(clock.now())))
        written(memory)
        before = holding(folder)
        assert {name.split("/")[1] for name in before} >= {"postgres", "redis", "reports"}, before
        listed = tuple(f"home/{one.name}" for one in FILES)
        assert [name for name in before if not name.startswith(listed)] == [], "a file that the list lacks"
        servers = (parts.broker_url, parts.services.cache_url)
        with_words = {key for url in servers if url for key in keys(url)}
        assert len(with_words) >= 4, with_words
        assert [key for key in with_words if not any(fnmatch(key, one.name) for one in KEYS)] == []
        assert any("pg_wal" in name for name in before)
        assert TOWN in dumped(memory)

        first = memory.forget(user="Plumkin", rewrite=False)

        assert not [word for word in PLANTED if word.lower() in dumped(memory).lower()]
        assert first.rewritten is None
        assert len(first.todo) == 1
        assert {key for url in servers if url for key in keys(url)} == set()
        assert parts.outbox is not None
        assert [one.scope.user for one in parts.outbox.first(9)] == ["Grundel"]
        log = holding(folder / "home" / "postgres" / "data" / "pg_wal")
        written(memory)
        left = holding(folder)
        assert log
        assert {name.split("/")[1] for name in left} == {"postgres", "redis"}, "what the second step is for"
        assert "base" in {part for name in left for part in name.split("/")}

        assert memory.rewrite_erased() == 1

        assert holding(folder) == {}
        (receipt,) = memory.erasures()
        assert receipt.rewritten is not None
        assert receipt.todo == ()
        assert stays.facts()
    parts.services.stop()
    assert holding(folder) == {}
    shutil.rmtree(folder / "home", ignore_errors=True)


@pytest.mark.timeout(600)
def test_no_file_holds_the_words_of_an_erased_session_or_matching_words(folder: Path) -> None:
    parts = open_parts(Settings.load(home=folder / "home", audit="verbose"), redis=True)
    with Memory(parts) as memory:
        assert parts.services is not None
        scope = live(memory, "Plumkin", session="trystsession")
        scope.working("trystsession-two").delete(f"{TOWN} trip")  # it names the pet, and its session stays
        written(memory)
        assert holding(folder, [PET.lower()])

        memory.forget(session="trystsession-one")

        assert holding(folder, [PET.lower()]) == {}
        assert holding(folder, [TOWN.lower()])

        scope.working("trystsession-two").set("plan", f"to {TOWN}")
        receipt = memory.forget(matching=TOWN)

        assert holding(folder, [TOWN.lower()]) == {}
        assert receipt.counts.keys() >= {"undos", "legal_holds", "delta_payloads", "working_memory"}
        assert receipt.todo == ()
    parts.services.stop()
    shutil.rmtree(folder / "home", ignore_errors=True)
