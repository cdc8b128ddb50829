"""A dead letter has the right tenant or none and a reason of bounded size; many alike are noticed and read again."""

import uuid
from typing import Any

import psycopg
import pytest

from slowwave import wiring
from slowwave.domain.job_table import CONSOLIDATE, PREPARE
from slowwave.domain.limits import REFUSAL_BYTES
from slowwave.domain.scope import Scope
from slowwave.jobs.ingest import ingest
from slowwave.memory import due_work
from slowwave.store.dead_letters import LETTER_BYTES
from tests.contract.harness import somebody
from tests.integration.command import Run

FAULT = "LookupError at nowhere.py:1"


def bury(parts: wiring.Parts, *, reason: str) -> None:
    """Let the only episode of a new user become a dead letter because of a fault of ours."""
    scope = somebody()
    parts.push(scope, ["I live in Oslo."])
    due_work.fire(parts, scope.id)
    while due_work.run_next(parts, owner="ann", scope=scope.id, only=[PREPARE]):
        pass
    claimed = parts.runs.claim(owner="ann", scope=scope.id, jobs=[CONSOLIDATE], overdue_seconds=0)
    assert claimed
    parts.runs.bury(claimed, category="fault", reason=reason)


def test_dead_letters_with_the_same_reason_are_noticed_and_retried(
    parts: wiring.Parts, superuser: psycopg.Connection, run: Run
) -> None:
    for reason in (FAULT, FAULT, FAULT, "another one"):
        bury(parts, reason=reason)

    found = run("check").out
    assert f"3 dead letters of 3 scopes alike: {FAULT}" in found
    assert "dead-letters retry --all --reason" in found

    alike = ("--reason", "LookupError", "--category", "fault")
    assert run("dead-letters", "retry", "--all", *alike).out == "3 retried\n"
    while due_work.run_next(parts, owner="ann"):
        pass
    learned = "SELECT FROM facts WHERE object = 'Oslo' AND upper_inf(recorded)"
    assert superuser.execute(learned).rowcount == 3
    assert superuser.execute("SELECT reason FROM dead_letters WHERE state = 'open'").fetchall() == [("another one",)]
    assert "alike" not in run("check").out


def test_the_retry_command_refuses_numbers_together_with_filters(parts: wiring.Parts, run: Run) -> None:
    for words in ([], ["1", "--all"], ["1", "--reason", "x"]):
        assert "name letters by their numbers" in run("dead-letters", "retry", *words).err
    assert run("dead-letters", "retry", "--all").out == "0 retried\n"


@pytest.mark.parametrize("tenant", [{}, {"a": 1}, [], ["acme"], 5, None, True, "", "a\0b"], ids=repr)
def test_a_message_with_an_invalid_tenant_is_stored_for_the_installation(
    parts: wiring.Parts, superuser: psycopg.Connection, tenant: Any
) -> None:
    message = {"tenant": tenant, "user": "alice", "episodes": [{"content": "I live in Oslo."}]}

    assert ingest(parts.store, parts.inbox, _told_nobody, message, id_="m1") == []

    assert superuser.execute("SELECT tenant, category FROM dead_letters").fetchall() == [("_system", "malformed")]


def test_a_field_name_with_a_nul_refuses_only_its_episode(parts: wiring.Parts, superuser: psycopg.Connection) -> None:
    told: dict[uuid.UUID, str | None] = {}
    items = [
        {"content": "one", "key": "1"},
        {"content": "two", "key": "2", "a\0b": 1},
        {"content": "three", "key": "3"},
    ]
    message = {"tenant": "acme", "user": "alice", "client": "c1", "episodes": items}

    receipts = ingest(parts.store, parts.inbox, lambda _client, settled: told.update(settled), message, id_="m1")

    assert [receipt.state for receipt in receipts] == ["stored", "refused", "stored"]
    ((tenant, reason, item),) = superuser.execute(
        "SELECT tenant, reason, item ->> 'content' FROM dead_letters"
    ).fetchall()
    assert (tenant, item) == ("acme", "two")
    assert "\0" not in reason
    scope = Scope("acme", "alice", "default")
    assert [bool(told[scope.episode_id(key)]) for key in "123"] == [False, True, False]


def test_a_dead_letter_has_a_size_limit(parts: wiring.Parts, superuser: psycopg.Connection) -> None:
    item = {"content": "x" * 2 * LETTER_BYTES, "metadata": {f"é{number}": "\0" for number in range(5_000)}}
    message = {"user": "alice", "episodes": [item]}

    ingest(parts.store, parts.inbox, _told_nobody, message, id_="m1")
    bury(parts, reason="é" * REFUSAL_BYTES)

    sizes = superuser.execute(
        "SELECT octet_length(reason), coalesce(octet_length(item::text), 0) FROM dead_letters"
    ).fetchall()
    assert len(sizes) == 2
    assert all(reason <= REFUSAL_BYTES and kept <= LETTER_BYTES for reason, kept in sizes)


def _told_nobody(_client: str, _settled: Any) -> None:
    raise AssertionError("this message names no client")
