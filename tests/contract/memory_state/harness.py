"""Helpers that write and read the standings of memories in a database."""

import json
import math
import uuid
from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime, timedelta
from typing import Any

from slowwave.domain.job_table import pack_of
from slowwave.domain.scope import Scope
from slowwave.domain.standing import Standing
from slowwave.memory import due_work
from slowwave.rules.hot_reload import ReloadedRules
from slowwave.rules.lifecycle import load_preset
from slowwave.store.inbox.stored_episodes import create_scopes
from tests.contract.harness import Harness


def now(harness: Harness) -> datetime:
    """Return the database's time."""
    time = harness.value("SELECT slowwave_now()")
    assert isinstance(time, datetime)
    return time


def stands(harness: Harness, scope: Scope, memory: uuid.UUID) -> Standing:
    """Return the tier and strength of *memory*."""
    names = [field.name for field in fields(Standing) if field.compare]
    ((*values,),) = harness.rows(
        f"SELECT {', '.join(names)} FROM standing WHERE scope = %s AND memory = %s", scope.id, memory
    )
    found = dict(zip(names, values, strict=True))
    return Standing(**found | {"accesses": tuple(found["accesses"])})


def column(harness: Harness, memory: uuid.UUID, name: str) -> Any:
    """Return one column of the standing of *memory*."""
    return harness.value(f"SELECT {name} FROM standing WHERE memory = %s", memory)


def put(harness: Harness, scope: Scope, memory: uuid.UUID | None = None, **columns: Any) -> uuid.UUID:
    """Give *memory*, or a new one, a standing with these columns; it is due at once."""
    memory = memory or uuid.uuid4()
    with harness.parts.database.tenant(scope.tenant) as connection:
        create_scopes(connection, [scope])
    given = {
        "scope": scope.id,
        "memory": memory,
        "tenant": scope.tenant,
        "kind": "semantic",
        "tier": "cold",
        "base": 0.9,
        "created": now(harness),
    } | columns
    harness.rows(
        f"INSERT INTO standing ({', '.join(given)}) VALUES ({', '.join(['%s'] * len(given))})",
        *(list(value) if isinstance(value, tuple) else value for value in given.values()),
    )
    return memory


def changed(harness: Harness, memory: uuid.UUID, **columns: Any) -> None:
    """Change columns of the standing of *memory*."""
    settings = ", ".join(f"{name} = %s" for name in columns)
    harness.rows(f"UPDATE standing SET {settings} WHERE memory = %s", *columns.values(), memory)


def run(harness: Harness, job: str) -> dict[str, int]:
    """Fire *job* now and do its due runs; return the sum of their counts."""
    harness.parts.schedule.fire_job(job, pack_of(job), by="test")
    done = harness.value("SELECT coalesce(max(run), 0) FROM runs")
    while (report := due_work.run_next(harness.parts, owner="night", only=[job])) is not None:
        assert report.outcome == "ok", report
    counts: dict[str, int] = {}
    for (row,) in harness.rows("SELECT counts FROM runs WHERE run > %s AND job = %s", done, job):
        said: Mapping[str, int] = row if isinstance(row, dict) else json.loads(row)
        for name, count in said.items():
            counts[name] = counts.get(name, 0) + count
    return counts


def later(harness: Harness, **span: float) -> None:
    """Move the database's clock forward."""
    harness.later(timedelta(**span).total_seconds())


def chosen(harness: Harness, preset: str) -> None:
    """Put *preset* in force for all scopes."""
    watched = ReloadedRules(harness.parts.settings.rules, preset)
    watched.lifecycle, watched._glanced = load_preset(preset), math.inf
    vars(harness.parts)["watched"] = watched


def crowd(harness: Harness, scope: Scope, tier: str, count: int, *, base: float) -> None:
    """Add *count* memories to *tier*, of importance *base* and slightly more for each."""
    put(harness, scope, tier=tier, base=base)
    harness.rows(
        "INSERT INTO standing (scope, memory, tenant, kind, tier, base, created) SELECT %s, gen_random_uuid(), %s, "
        "'semantic', %s, %s + number * 1e-4, slowwave_now() FROM generate_series(2, %s) AS number",
        scope.id, scope.tenant, tier, base, count,
    )  # fmt: skip
