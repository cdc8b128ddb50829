"""A quarter of days and nights with the real jobs on a virtual clock: retention, decay, promotion and archive."""

from collections.abc import Iterator

import pytest

from slowwave import wiring
from slowwave.embedded_services.postgres import PostgresServer
from slowwave.memory import Memory
from slowwave.wiring import Parts
from tests.ledger import rebuilt
from tests.quarter import USERS, Quarter

pytestmark = pytest.mark.accept


@pytest.fixture
def lived(parts: Parts, owner_url: str, postgres_server: PostgresServer, database_name: str) -> Iterator[Quarter]:
    memory = Memory(parts)
    yield Quarter(memory, parts, owner_url, postgres_server.url("postgres", database_name))
    memory.close()


def in_order(lived: Quarter) -> None:
    """Assert that all runs succeeded, that the check finds nothing, and that the ledger folds to the facts."""
    assert set(lived.outcomes) == {"ok"}
    assert list(wiring.checks(lived.parts.database).findings(folds=None)) == []
    for user in USERS:
        folded, believed = rebuilt(lived.parts, lived.memory.scope(user, agent="concierge").scope)
        assert folded == believed


def test_a_simulated_week_leaves_a_consistent_database(lived: Quarter) -> None:
    lived.live(days=7)

    in_order(lived)
    assert {"prepare", "consolidate", "summarise", "detect_patterns", "promote", "sweep", "partitions", "check"} <= set(
        lived.jobs
    )
    assert lived.value("SELECT count(*) FROM facts WHERE upper_inf(recorded)") > 20


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_ninety_days_of_use_leave_a_consistent_database(lived: Quarter, capsys: pytest.CaptureFixture[str]) -> None:
    lived.live(days=90)

    with capsys.disabled():
        print("", *lived.story, sep="\n")
    in_order(lived)
    assert lived.value("SELECT count(*) FROM promotions WHERE undone IS NULL") >= len(USERS)
    assert lived.value("SELECT count(*) FROM deltas WHERE rule LIKE 'decay/%'") > 0
    assert lived.value("SELECT count(*) FROM conversations WHERE archived IS NOT NULL") >= len(USERS)
    assert lived.value("SELECT count(*) FROM strategies WHERE fact IS NOT NULL") >= len(USERS)
    assert lived.value("SELECT count(*) FROM facts WHERE object = 'walnuts' AND upper_inf(recorded)") == len(USERS)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_two_years_without_news_leave_every_table_as_large_as_after_fourteen_months(
    lived: Quarter, capsys: pytest.CaptureFixture[str]
) -> None:
    lived.live(days=10)
    lived.rest(after=10, days=420)
    before = lived.sizes()

    lived.rest(after=430, days=300)

    sizes = lived.sizes()
    grown = {name: (before[name], size) for name, size in sizes.items() if size > before[name] * 1.02 + 2}
    with capsys.disabled():
        print("", *(f"{name}: {before[name]:,} -> {size:,}" for name, size in sizes.items() if size), sep="\n")
    assert grown == {}
    in_order(lived)
