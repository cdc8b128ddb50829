"""Requests are exported to a file and replies imported from one; the first reply to a request counts."""

import json
from collections.abc import Sequence

import pytest

from slowwave.cli.status import _status_lines
from slowwave.domain.model_calls import Message
from slowwave.errors import Incorrect
from slowwave.memory import request_batches
from slowwave.wiring import model_client
from tests.contract.model_calls.harness import TENANT, ModelCalls
from tests.contract.model_calls.scripted_models import Echo, echo


def handed(calls: ModelCalls, *, form: str = "openai", peek: bool = False, hours: float = 24) -> list[str]:
    return list(request_batches.export_requests(calls.parts, form=form, peek=peek, most=1000, hours=hours))


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


def test_imported_replies_of_a_batch_become_beliefs(calls: ModelCalls) -> None:
    calls.plan(6)
    lines = handed(calls)
    assert len(lines) == 2
    assert calls.requests("asked") == [json.loads(line)["custom_id"] for line in lines]
    assert json.loads(lines[0])["body"]["temperature"] == 0

    assert request_batches.import_replies(calls.parts, [answered(line) for line in lines]) == {"ok": 2}

    assert calls.work() == ["consolidate 1-6 ok"]
    assert len(calls.beliefs()) == 6
    assert calls.budget() == (36, 0)
    assert request_batches.import_replies(calls.parts, [answered(line) for line in lines]) == {"answered": 2}


def test_a_preview_of_a_batch_reserves_nothing_and_replies_to_it_are_accepted(calls: ModelCalls) -> None:
    calls.plan(6)

    seen = handed(calls, peek=True)
    assert handed(calls, peek=True) == seen
    assert len(calls.requests()) == 2
    assert request_batches.import_replies(calls.parts, [answered(seen[0])]) == {"ok": 1}
    assert len(handed(calls)) == 1
    assert handed(calls) == []
    assert request_batches.import_replies(calls.parts, [answered(seen[1])]) == {"ok": 1}
    assert calls.work() == ["consolidate 1-6 ok"]


def test_an_expired_batch_is_requested_again_and_a_late_reply_counts(calls: ModelCalls) -> None:
    calls.plan(6)
    lines = handed(calls, hours=1)
    calls.later(3601)

    assert calls.parts.batches.take_back() == 2
    assert len(calls.requests()) == 2
    assert calls.budget() == (0, 0)

    assert request_batches.import_replies(calls.parts, map(answered, lines)) == {"ok": 2}
    assert calls.work() == ["consolidate 1-6 ok"]


def test_requests_expired_in_two_batches_go_to_the_live_provider(calls: ModelCalls) -> None:
    calls.plan(6)
    for _ in range(2):
        assert len(handed(calls, hours=1)) == 2
        calls.later(3601)
        assert calls.parts.batches.take_back() == 2
    assert len(handed(calls, peek=True)) == 2, "nobody else could be asked"

    vars(calls.parts).update(provider=Echo())

    assert handed(calls) == []
    asker = model_client.request_sender(calls.parts.database, calls.parts.settings, Echo(), calls.parts.models)
    assert [asker.ask("ann"), asker.ask("ann"), asker.ask("ann")] == ["ok", "ok", None]
    assert calls.work() == ["consolidate 1-6 ok"]


def test_all_malformed_reply_lines_are_reported_and_the_others_accepted(calls: ModelCalls) -> None:
    calls.plan(6)
    first, second = handed(calls)

    with pytest.raises(Incorrect, match=r"has 2 problems|have 2 problems|2 problems") as told:
        request_batches.import_replies(
            calls.parts, ["{", answered(first), '{"custom_id": 7}', "", answered(second, status=500)]
        )

    assert "line 1" in str(told.value)
    assert "line 3" in str(told.value)
    assert calls.requests("answered") == [json.loads(first)["custom_id"]]
    assert calls.requests("pending") == [json.loads(second)["custom_id"]]
    unknown = answered(first).replace(json.loads(first)["custom_id"], "f" * 40)
    assert request_batches.import_replies(calls.parts, [unknown]) == {"unknown": 1}


def test_the_anthropic_batch_format_is_exported_and_imported(calls: ModelCalls) -> None:
    calls.plan(4)
    (line,) = handed(calls, form="anthropic")
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
    assert request_batches.import_replies(calls.parts, [json.dumps(reply)]) == {"ok": 1}

    assert calls.work() == ["consolidate 1-4 ok"]


def test_status_shows_pending_requests_and_an_exhausted_budget(calls: ModelCalls) -> None:
    calls.plan(8)
    calls.rows(
        "INSERT INTO model_budgets (tenant, day, cap_tokens, spent_tokens) "
        "VALUES ('default', (slowwave_now() AT TIME ZONE 'UTC')::date, 100, 90)"
    )
    calls.rows("INSERT INTO model_breakers (provider, tenant, width, failures, open_until) "
                 "VALUES ('fake', '_system', 1, 3, slowwave_now() + interval '1 hour')")  # fmt: skip

    overview = calls.parts.records.overview(TENANT)
    shown = [text for _, text in _status_lines(overview, [], calls.parts.schedule.now())]

    assert "2 requests waiting, 0 asked, for 1 window" in shown
    assert "90 of 100 tokens spent today" in shown
    assert any(text.startswith("paused: budget, until ") for text in shown)
    assert any("breaker open, retried at" in text and "after 3 failures" in text for text in shown)
