"""Episodes of an agent's tool calls and outcomes, and the harness that learns from them."""

import itertools
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from slowwave.domain.episode import Episode
from slowwave.domain.job_table import DETECT_PATTERNS, pack_of
from slowwave.domain.run import Run
from slowwave.domain.scope import Scope
from slowwave.ports import IntentRequest
from slowwave.store.runs import settling
from tests.conftest import NOON
from tests.contract.harness import Harness

PATTERNS = pack_of(DETECT_PATTERNS)
_KEYS = itertools.count()


def call(
    tool: str, *, session: str = "s1", at: datetime = NOON, success: bool = True, latency: float = 100, **more: Any
) -> Episode:
    """Return a call of *tool* with a latency of *latency* milliseconds."""
    metadata = {"tool": tool, "success": success, "latency_ms": latency, **more}
    return _episode("tool_call", f"called {tool}", session, at, metadata)


def outcome(success: bool, *, task: str = "booking", session: str = "s1", at: datetime = NOON, **more: Any) -> Episode:
    """Return the outcome of an attempt at *task*."""
    words = "that worked" if success else "that failed"
    return _episode("outcome", words, session, at, {"success": success, "task": task, **more})


def attempt(
    tools: Iterable[str], success: bool = True, *, task: str = "booking", session: str = "s1", at: datetime = NOON
) -> list[Episode]:
    """Return the calls of *tools*, a minute apart, and their outcome."""
    calls = [call(tool, session=session, at=at + timedelta(minutes=number)) for number, tool in enumerate(tools)]
    return [*calls, outcome(success, task=task, session=session, at=at + timedelta(minutes=len(calls)))]


def _episode(kind: Any, content: str, session: str, at: datetime, metadata: Mapping[str, Any]) -> Episode:
    return Episode(
        content=content,
        key=f"k{next(_KEYS)}",
        session=session,
        role="tool" if kind == "tool_call" else "assistant",
        kind=kind,
        occurred_at=at,
        metadata=dict(metadata),
    )


def ask(harness: Harness, scope: Scope) -> None:
    """Request pattern detection now."""
    with harness.parts.database.tenant(scope.tenant) as connection:
        run = Run(0, 0, scope.tenant, scope.id, "prepare", "_prepare", 1, 1, 1, 0, "test")
        settling.write(IntentRequest(DETECT_PATTERNS, PATTERNS, at_once=True), connection, run)


def learn(harness: Harness, scope: Scope, *episodes: Episode) -> None:
    """Push *episodes* and run pattern detection."""
    if episodes:
        harness.parts.push(scope, list(episodes))
    ask(harness, scope)
    harness.drain()


def believed(harness: Harness, scope: Scope, predicate: str = "is_done_by") -> list[str]:
    """Return the current facts, as subject and object."""
    return harness.column(
        "SELECT subject || ': ' || object FROM facts WHERE scope = %s AND predicate = %s AND upper_inf(recorded) "
        "ORDER BY 1",
        scope.id,
        predicate,
    )


def counts(harness: Harness, scope: Scope) -> dict[tuple[str, ...], tuple[int, int]]:
    """Return successes and failures by sequence of tools."""
    rows = harness.rows("SELECT tools, successes, failures FROM strategies WHERE scope = %s", scope.id)
    return {tuple(tools): (successes, failures) for tools, successes, failures in rows}


def kinds(harness: Harness, scope: Scope) -> list[str]:
    """Return the kinds of the deltas about patterns, in order."""
    return harness.column(
        "SELECT kind FROM deltas WHERE scope = %s AND pack = %s ORDER BY recorded", scope.id, PATTERNS
    )
