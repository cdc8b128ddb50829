"""The archive job and its firings read only due rows."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from slowwave.core.policy import BARE, Policies
from slowwave.domain.job_table import ARCHIVE
from slowwave.domain.scope import Scope
from slowwave.store.schedule.schedule import SYSTEM_SCOPE
from slowwave.wiring import Parts
from tests.contract.harness import Harness
from tests.module_database import harness, owner_url, parts, scope, url
from tests.plans import filled, reads
from tests.scripts import script

__all__ = ["harness", "owner_url", "parts", "scope", "url"]

CROWD = 20_000
TABLES = ("conversations", "entities", "standing", "legal_holds")
ALL = list(range(16))
FIRST: dict[str, Any] = {"scope": SYSTEM_SCOPE, "most": 500}
FILL = script(__file__, "archive_plans.sql", crowd=CROWD)


@pytest.fixture(scope="module")
def crowd(parts: Parts, scope: Scope, owner_url: str, harness: Harness) -> datetime:
    """Twenty thousand conversations and entities that are new, held or gone, and five of each that are due; a time."""
    parts.push(scope, ["hello"])
    filled(owner_url, FILL, *TABLES)
    now = harness.value("SELECT slowwave_now()")
    assert isinstance(now, datetime)
    return now


PLANS: dict[str, tuple[str, Callable[[datetime], dict[str, Any]], set[str], int]] = {
    "a firing of the archive job reads only due rows": (
        "retention/due_slices", lambda _: {"role": "slowwave_dispatch", "job": ARCHIVE, "slices": 16,
            "periods": json.dumps(Policies(BARE).periods)},
        {"conversations_open", "entities_due"}, 40,
    ),
    "the job reads the conversations that are due": (
        "retention/due_conversations", lambda now: {"slices": ALL, "before": now - timedelta(days=90), "most": 500},
        {"conversations_open"}, 20,
    ),
    "the archive job reads expired conversations by index": (
        "retention/expired_conversations", lambda now: {"slices": ALL, "before": now - timedelta(days=195),
            "session": "", "also_scopes": [], "also_sessions": [], "gone": [], **FIRST},
        {"conversations_archived"}, 20,
    ),
    "the job reads the entities that are due": (
        "retention/due_entities", lambda now: {"slices": ALL, "now": now, "every": False, "entity": SYSTEM_SCOPE,
            **FIRST},
        {"entities_due", "standing_pkey"}, 20,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("name", "asked", "indexes", "most"), PLANS.values(), ids=PLANS)
def test_a_statement_reads_only_what_is_due(
    crowd: datetime, url: str, name: str, asked: Callable[[datetime], dict[str, Any]], indexes: set[str], most: int
) -> None:
    read = reads(url, name, **asked(crowd))

    assert indexes <= read.by()
    assert read.rows("conversations", "entities", "standing") <= most, read
