"""A conversation is forgotten after the month of its episodes was dropped: deltas and names still tell what it was."""

from datetime import timedelta
from typing import Any

import psycopg
import pytest

from slowwave.domain.episode import Episode
from slowwave.domain.job_table import PARTITIONS
from slowwave.domain.scope import Scope
from slowwave.jobs.maintenance import Partitions
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.verb_group import parts_of
from slowwave.store.retention.partitions import PostgresPartitions
from slowwave.testing import move_clock
from slowwave.wiring import Parts
from tests.contract.erasure.planting import TASK, TOWN, found, live
from tests.integration.steps import work_off
from tests.integration.store.partitioned import now, of_month, partitions, run
from tests.integration.store.test_partition_retention import KEPT, tombstone

ALICE = Scope("acme", "alice", "concierge")


@pytest.fixture
def dropped(parts: Parts, owner_url: str, superuser: psycopg.Connection) -> Memory:
    """A memory whose job dropped the month of the conversation `tryst`."""
    parts.jobs[PARTITIONS] = Partitions(PostgresPartitions(parts.database), KEPT)
    work_off(parts, ALICE, [Episode(content=f"I moved to {TOWN}", key="k", session="tryst")])
    month = of_month(now(superuser))
    move_clock(owner_url, timedelta(days=62))
    work_off(parts, ALICE, [Episode(content="I like tea", key="k2", session="later")])
    tombstone(superuser, ALICE, "tryst")
    run(parts)
    assert month not in partitions(superuser, "episodes")
    return Memory(parts)


@pytest.mark.parametrize("asked", [{"user": "alice", "session": "tryst"}, {"session": "tryst"}, {"matching": "tryst"}])
def test_a_session_of_a_dropped_month_is_forgotten(
    dropped: Memory, superuser: psycopg.Connection, asked: dict[str, Any]
) -> None:
    assert found(superuser, [TOWN]).keys() >= {"facts", "delta_payloads", "entities"}

    seen = dropped.forget(**asked, preview=True, tenant="acme")
    receipt = dropped.forget(**asked, confirm=seen.token, rewrite=False, tenant="acme")

    assert found(superuser, [TOWN, "tryst"]) == {}
    assert {one.session for one in MemoryScope(parts_of(dropped), ALICE).facts()} == {"later"}
    assert dropped.forget(**asked, rewrite=False, tenant="acme").id == receipt.id


def test_words_that_only_names_still_say_are_forgotten(talkative: Memory, superuser: psycopg.Connection) -> None:
    live(talkative, "Plumkin", session="tryst")
    superuser.execute("SET session_replication_role = replica")
    for table in ("episodes", "word_blocks", "vector_blocks"):
        superuser.execute(f"DELETE FROM {table}".encode())
    assert found(superuser, [TASK])["tool_stats"] == {"task", "tool"}

    talkative.forget(matching=TASK, rewrite=False)
    talkative.forget(matching="tryst", rewrite=False)

    assert found(superuser, [TASK, "tryst"]) == {}
