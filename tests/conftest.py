"""Fixtures of most tests: one Postgres for the session, and a migrated database for each test."""

import gc
import os
import pickle
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis
from hypothesis import HealthCheck
from hypothesis import settings as properties
from pydantic import SecretStr

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.embedded_services.postgres import PostgresServer
from slowwave.embedded_services.redis import RedisServer
from slowwave.memory import Memory, MemoryScope
from slowwave.rules import yaml_file
from slowwave.rules.lifecycle import Lifecycle, choose_lifecycle
from slowwave.settings import Settings
from slowwave.store.encryption.cipher import new_master_key
from slowwave.telemetry import tracing
from tests.conformance.reporting import (
    pytest_configure,
    pytest_itemcollected,
    pytest_runtest_makereport,
    pytest_runtest_setup,
)
from tests.databases import Lent, registered
from tests.folders import open_folder, quick

__all__ = ["pytest_configure", "pytest_itemcollected", "pytest_runtest_makereport", "pytest_runtest_setup"]
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)

# A property is tried on the same examples each time, so that nobody's change goes red by another's luck; `make hunt`
# looks for new ones. No profile has a deadline, for a busy machine is no mistake of the code.
properties.register_profile("steady", deadline=None, print_blob=True, derandomize=True)
properties.register_profile(
    "hunt", deadline=None, print_blob=True, max_examples=2_000, suppress_health_check=[HealthCheck.too_slow]
)
properties.load_profile("steady")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that encrypts the words of every test."""
    parser.addoption("--encrypted", action="store_true", help="set a master key for every process and test")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Set the master key before any settings are loaded, and install what makes the tests faster."""
    session.config.pluginmanager.register(OnlyExamples())
    vars(yaml_file)["parse_yaml"] = cached(yaml_file.parse_yaml)
    if session.config.getoption("encrypted"):
        os.environ.setdefault("SLOWWAVE_ENCRYPTION_KEYS", new_master_key())


class OnlyExamples:
    """Ignores modules that contain neither tests nor examples, because importing them takes long."""

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Return True for a module that is to be ignored; return None to leave the decision to pytest."""
        is_module = collection_path.suffix == ".py" and not collection_path.name.startswith("test_")
        return True if is_module and b">>> " not in collection_path.read_bytes() else None


def cached(parse: Callable[[str], tuple[Any, list[str]]]) -> Callable[[str], tuple[Any, list[str]]]:
    """Return *parse* with a cache of valid texts; without it, almost every test parses the shipped files again."""
    known: dict[str, bytes] = {}

    def parsed(text: str) -> tuple[Any, list[str]]:
        if text not in known:
            value, problems = parse(text)
            if problems:
                return value, problems
            known[text] = pickle.dumps(value)
        return pickle.loads(known[text]), []

    return parsed


def pytest_collection() -> None:
    """Turn garbage collection off while tests are collected, because all of them stay in memory."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Exclude everything that is loaded now from later garbage collections, and collect less often."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    gc.enable()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """The Postgres of this test session, without durability."""
    with open_folder("tests", quick()) as home, PostgresServer(home / "postgres", durable=False) as server:
        yield server


@pytest.fixture(scope="session")
def template(postgres_server: PostgresServer) -> str:
    """The name of a migrated database, which is copied for each test."""
    wiring.migrate_database(postgres_server.url("slowwave_owner"))
    return "slowwave"


@pytest.fixture(scope="session")
def lent(postgres_server: PostgresServer, template: str) -> Iterator[Lent]:
    """The database that tests share one after another."""
    lent = Lent(postgres_server, template)
    yield lent
    lent.close()


@pytest.fixture
def database_name(lent: Lent) -> Iterator[str]:
    """A clean database for one test."""
    yield lent.name
    lent.take_back()


@pytest.fixture
def url(postgres_server: PostgresServer, database_name: str) -> str:
    """The address of the test's database."""
    return postgres_server.url(database=database_name)


@pytest.fixture
def owner_url(postgres_server: PostgresServer, database_name: str) -> str:
    """The test's database, as the owner of the schema."""
    return postgres_server.url("slowwave_owner", database_name)


@pytest.fixture
def superuser(postgres_server: PostgresServer, database_name: str) -> Iterator[psycopg.Connection]:
    """A superuser's connection to the test's database, without row-level security; each statement commits."""
    with psycopg.connect(postgres_server.url("postgres", database_name), autocommit=True) as connection:
        connection.execute("SET timezone = 'UTC'")
        yield connection


@pytest.fixture(scope="session")
def loaded_settings() -> Settings:
    """Settings with short leases and without statements."""
    return Settings.load(lease_seconds=2, window=50, statements=False)


@pytest.fixture
def settings(loaded_settings: Settings, url: str, owner_url: str, tmp_path: Path) -> Settings:
    """The settings with the address of the test's database."""
    own = {"url": SecretStr(url), "owner_url": SecretStr(owner_url), "home": tmp_path}
    return loaded_settings.model_copy(update=own)


@pytest.fixture(scope="session")
def heavy_parts() -> dict[str, object]:
    """Parts that load slowly and never change: the shipped packs with predicates and the embedder."""
    parts = wiring.connect(Settings.load(url="postgresql://nobody@/nowhere", statements=False))
    return {"packs": parts.packs, "embedder": parts.embedder}


@pytest.fixture(scope="session")
def statement_parts() -> dict[str, object]:
    """The heavy parts with the packs that also extract statements."""
    parts = wiring.connect(Settings.load(url="postgresql://nobody@/nowhere"))
    return {"packs": parts.packs, "embedder": parts.embedder}


@pytest.fixture(scope="session")
def shipped_lifecycle() -> Lifecycle:
    """The shipped policies, which `Parts` loads by default."""
    return choose_lifecycle(None, None)


@pytest.fixture
def parts(
    settings: Settings, heavy_parts: dict[str, object], shipped_lifecycle: Lifecycle, lent: Lent
) -> Iterator[wiring.Parts]:
    """The parts of one process on the test's database, with the shipped packs registered."""
    parts = wiring.connect(settings)
    vars(parts).update(heavy_parts)
    if settings.preset is None and settings.rules is None:
        vars(parts)["_lifecycle"] = shipped_lifecycle
    with lent.connections(parts):
        lent.register(parts)
        yield parts
    parts.close()


@pytest.fixture(scope="session")
def cache_server() -> Iterator[RedisServer]:
    """A Redis of this test session that is a cache; a test may freeze it."""
    with open_folder("cache") as home, RedisServer(home / "redis", durable=False) as server:
        yield server


@pytest.fixture
def cache_url(cache_server: RedisServer) -> Iterator[str]:
    """The address of an empty cache; it is repaired after the test."""
    url = cache_server.url()
    with redis.Redis.from_url(url) as client:
        client.flushdb()
        yield url
        cache_server.thaw()


@pytest.fixture(autouse=True)
def untraced() -> Iterator[None]:
    """Stops the collection of traces that a test started in this process."""
    yield
    tracing.collect(None)


@pytest.fixture
def mindful(settings: Settings, heavy_parts: dict[str, object], cache_url: str) -> Iterator[Memory]:
    """A memory on the test's database with a cache, with parts of its own like another process."""
    own = settings.model_copy(update={"cache_url": SecretStr(cache_url)})
    with registered(own, **heavy_parts) as parts, Memory(parts) as memory:
        yield memory


@pytest.fixture
def scope() -> Scope:
    """The scope of a new user."""
    return Scope("default", f"alice-{uuid.uuid4().hex[:8]}", "concierge")


@pytest.fixture
def living(settings: Settings, heavy_parts: dict[str, object], scope: Scope) -> Iterator[Callable[[str], MemoryScope]]:
    """Gives an agent under a preset; each preset reads the same memories."""
    with ExitStack() as opened:

        def live(preset: str) -> MemoryScope:
            own = settings.model_copy(update={"preset": preset})
            return MemoryScope(opened.enter_context(registered(own, **heavy_parts)), scope)

        yield live


@pytest.fixture
def told() -> Callable[..., list[Episode]]:
    """Episodes from sentences, a minute apart from noon on."""

    def build(*sentences: str, start: int = 0, session: str = "s1") -> list[Episode]:
        return [
            Episode(
                content=sentence,
                key=f"e{number}",
                session=session,
                occurred_at=NOON + timedelta(minutes=number),
            )
            for number, sentence in enumerate(sentences, start)
        ]

    return build
