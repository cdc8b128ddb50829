"""Requests are exported to a file and replies imported from one; the first reply to a request counts."""

import json
from collections.abc import Sequence

import pytest

from slowwave.cli.status import _status_lines
from slowwave.domain.model_calls import Message
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect
from slowwave.memory import request_batches
from slowwave.wiring import model_client
from tests.contract.harness import Harness
from tests.contract.model_calls.harness import TENANT, ModelCalls, likes
from tests.contract.model_calls.scripted_models import Echo, echo


def handed(model_calls: ModelCalls, *, form: str = "openai", peek: bool = False, hours: float = 24) -> list[str]:
    return list(
        request_batches.export_requests(model_calls.harness.parts, form=form, peek=peek, most=1000, hours=hours)
    )


def answered(line: str, text: str | None = None, *, status: int = 200) -> str:
    """Return a provider's reply line to a line of an OpenAI batch."""
    asked = json.loads(line)
    messages: Sequence[Message] = asked["body"]["messages"]
    body = {
        "model": "echo-1",
        "choices": [{"message": {"content": text or echo(messages)}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7},
    }
    return json.dumps({"custom_id": asked["custom_id"], "response": {"status_code": status, "body": body}})


def test_imported_replies_of_a_batch_become_beliefs(model_calls: ModelCalls, harness: Harness, scope: Scope) -> None:
    model_calls.say(scope, *likes(6))
    model_calls.drain()
    lines = handed(model_calls)
    assert len(lines) == 2
    assert model_calls.requests("asked") == [json.loads(line)["custom_id"] for line in lines]
    assert json.loads(lines[0])["body"]["temperature"] == 0

    assert request_batches.import_replies(harness.parts, [answered(line) for line in lines]) == {"ok": 2}

    assert model_calls.drain() == ["consolidate 1-6 ok"]
    assert len(model_calls.beliefs(scope)) == 6
    assert harness.rows("SELECT spent_tokens, reserved_tokens FROM model_budgets") == [(36, 0)]
    assert request_batches.import_replies(harness.parts, [answered(line) for line in lines]) == {"answered": 2}


def test_a_preview_of_a_batch_reserves_nothing(model_calls: ModelCalls, scope: Scope) -> None:
    model_calls.say(scope, *likes(6))
    model_calls.drain()

    assert handed(model_calls, peek=True) == handed(model_calls, peek=True)
    assert len(model_calls.requests()) == 2
    assert len(handed(model_calls)) == 2
    assert handed(model_calls) == []


def test_replies_to_a_previewed_batch_are_accepted(model_calls: ModelCalls, harness: Harness, scope: Scope) -> None:
    model_calls.say(scope, *likes(6))
    model_calls.drain()

    assert request_batches.import_replies(harness.parts, map(answered, handed(model_calls, peek=True))) == {"ok": 2}

    assert model_calls.drain() == ["consolidate 1-6 ok"]


def test_an_expired_batch_is_requested_again_and_a_late_reply_counts(
    model_calls: ModelCalls, harness: Harness, scope: Scope
) -> None:
    model_calls.say(scope, *likes(6))
    model_calls.drain()
    lines = handed(model_calls, hours=1)
    harness.later(3601)

    assert harness.parts.batches.take_back() == 2
    assert len(model_calls.requests()) == 2
    assert harness.rows("SELECT spent_tokens, reserved_tokens FROM model_budgets") == [(0, 0)]

    assert request_batches.import_replies(harness.parts, map(answered, lines)) == {"ok": 2}
    assert model_calls.drain() == ["consolidate 1-6 ok"]


def test_requests_expired_in_two_batches_go_to_the_live_provider(
    model_calls: ModelCalls, harness: Harness, scope: Scope
) -> None:
    model_calls.say(scope, *likes(6))
    model_calls.drain()
    for _ in range(2):
        assert len(handed(model_calls, hours=1)) == 2
        harness.later(3601)
        assert harness.parts.batches.take_back() == 2
    assert len(handed(model_calls, peek=True)) == 2, "nobody else could be asked"

    vars(harness.parts).update(provider=Echo())

    assert handed(model_calls) == []
    asker = model_client.request_sender(harness.parts.database, harness.parts.settings, Echo(), harness.parts.models)
    assert [asker.ask("ann"), asker.ask("ann"), asker.ask("ann")] == ["ok", "ok", None]
    assert model_calls.drain() == ["consolidate 1-6 ok"]


def test_all_malformed_reply_lines_are_reported_and_the_others_accepted(
    model_calls: ModelCalls, harness: Harness, scope: Scope
) -> None:
    model_calls.say(scope, *likes(6))
    model_calls.drain()
    first, second = handed(model_calls)

    with pytest.raises(Incorrect, match=r"has 2 problems|have 2 problems|2 problems") as told:
        request_batches.import_replies(
            harness.parts, ["{", answered(first), '{"custom_id": 7}', "", answered(second, status=500)]
        )

    assert "line 1" in str(told.value)
    assert "line 3" in str(told.value)
    assert model_calls.requests("answered") == [json.loads(first)["custom_id"]]
    assert model_calls.requests("pending") == [json.loads(second)["custom_id"]]
    unknown = answered(first).replace(json.loads(first)["custom_id"], "f" * 40)
    assert request_batches.import_replies(harness.parts, [unknown]) == {"unknown": 1}


def test_the_anthropic_batch_format_is_exported_and_imported(
    model_calls: ModelCalls, harness: Harness, scope: Scope
) -> None:
    model_calls.say(scope, *likes(4))
    model_calls.drain()
    (line,) = handed(model_calls, form="anthropic")
    asked = json.loads(line)
    assert set(asked) == {"custom_id", "params"}

    reply = {
        "custom_id": asked["custom_id"],
        "result": {
            "type": "succeeded",
            "message": {
                "model": "claude", "content": [{"type": "text", "text": echo(asked["params"]["messages"])}],
                "usage": {"input_tokens": 3, "output_tokens": 4}, "stop_reason": "end_turn",
            },
        },
    }  # fmt: skip
    assert request_batches.import_replies(harness.parts, [json.dumps(reply)]) == {"ok": 1}

    assert model_calls.drain() == ["consolidate 1-4 ok"]


def test_status_shows_pending_requests_and_an_exhausted_budget(
    model_calls: ModelCalls, harness: Harness, scope: Scope
) -> None:
    model_calls.say(scope, *likes(8))
    model_calls.drain()
    harness.rows(
        "INSERT INTO model_budgets (tenant, day, cap_tokens, spent_tokens) "
        "VALUES ('default', (slowwave_now() AT TIME ZONE 'UTC')::date, 100, 90)"
    )
    harness.rows("INSERT INTO model_breakers (provider, tenant, width, failures, open_until) "
                 "VALUES ('fake', '_system', 1, 3, slowwave_now() + interval '1 hour')")  # fmt: skip

    overview = harness.parts.records.overview(TENANT)
    shown = [text for _, text in _status_lines(overview, [], harness.parts.schedule.now())]

    assert "2 requests waiting, 0 asked, for 1 window" in shown
    assert "90 of 100 tokens spent today" in shown
    assert any(text.startswith("paused: budget, until ") for text in shown)
    assert any("breaker open, retried at" in text and "after 3 failures" in text for text in shown)
