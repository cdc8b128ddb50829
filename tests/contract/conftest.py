"""A desk to work the run protocol at."""

import pytest

from slowwave import wiring
from slowwave.embedded.postgres import PostgresServer
from tests.contract.desk import Desk


@pytest.fixture
def desk(parts: wiring.Parts, owner_url: str, postgres_server: PostgresServer, database_name: str) -> Desk:
    """The run protocol on the test's database, with a lease of two seconds on a clock that is moved."""
    desk = Desk(parts, owner_url, postgres_server.url("postgres", database_name))
    desk.later(0)
    return desk
