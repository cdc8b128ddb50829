"""Servers that tests may break, one pair for each test process."""

from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from slowwave.embedded_services import PostgresServer
from slowwave.wiring import Parts
from tests.contract.harness import Harness
from tests.faults.rig import stage
from tests.faults.rig.corpus import Corpus, corpus
from tests.faults.rig.ground import Ground
from tests.faults.rig.stage import SetUp
from tests.faults.rig.verdict import Outcome, undisturbed
from tests.folders import open_folder, quick


@pytest.fixture(scope="session")
def ground() -> Iterator[Ground]:
    """A Postgres and a Redis that may be killed; each test that kills one leaves it running again."""
    with Ground.open() as ground:
        yield ground


@pytest.fixture
def database(ground: Ground) -> Iterator[str]:
    """A migrated database for the test, and an empty broker; servers that the test before killed are restarted."""
    ground.postgres.start()
    ground.redis.start()
    ground.broker().flushall()
    with ground.database() as name:
        yield name


@pytest.fixture(scope="session")
def told() -> Corpus:
    """The corpus that most fault tests push."""
    return corpus()


@pytest.fixture(scope="session")
def expected(ground: Ground, told: Corpus) -> Outcome:
    """The undisturbed result."""
    return undisturbed(ground, told)


@pytest.fixture
def set_up(ground: Ground, database: str, told: Corpus, expected: Outcome, tmp_path: Path) -> SetUp:
    """Sets up a stage on the test's database, for the corpus of most tests."""
    return partial(stage.set_up, ground=ground, database=database, folder=tmp_path, corpus=told, expected=expected)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the account of the embedded servers may enter."""
    with open_folder("faults", quick()) as folder:
        yield folder


@pytest.fixture
def harness(parts: Parts, owner_url: str, postgres_server: PostgresServer, database_name: str) -> Iterator[Harness]:
    """The run protocol on the test's database."""
    with closing(Harness(parts, owner_url, postgres_server.url("postgres", database_name))) as harness:
        yield harness
