"""Requests go out in a file and replies come back in one: any known request takes its reply, the first wins."""

import json
from collections.abc import Sequence

import pytest

from slowwave.cli.status import _lines
from slowwave.domain.model.chunk import Message
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect
from slowwave.memory import batches
from slowwave.wiring import asking
from tests.contract.desk.desks import TENANT, Desk, likes
from tests.contract.desk.models import Echo, echo
from tests.contract.harness import Harness


def handed(desk: Desk, *, form: str = "openai", peek: bool = False, hours: float = 24) -> list[str]:
    return list(batches.hand_out(desk.harness.parts, form=form, peek=peek, most=1000, hours=hours))


def answered(line: str, text: str | None = None, *, status: int = 200) -> str:
    """Return the line with which a provider answers an OpenAI batch's line."""
    asked = json.loads(line)
    messages: Sequence[Message] = asked["body"]["messages"]
    body = {
        "model": "echo-1",
        "choices": [{"message": {"content": text or echo(messages)}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7},
    }
    return json.dumps({"custom_id": asked["custom_id"], "response": {"status_code": status, "body": body}})


def test_what_is_handed_out_comes_back_and_is_believed(desk: Desk, harness: Harness, scope: Scope) -> None:
    desk.say(scope, *likes(6))
    desk.drain()
    lines = handed(desk)
    assert len(lines) == 2
    assert desk.requests("asked") == [json.loads(line)["custom_id"] for line in lines]
    assert json.loads(lines[0])["body"]["temperature"] == 0

    assert batches.take_in(harness.parts, [answered(line) for line in lines]) == {"ok": 2}

    assert desk.drain() == ["consolidate 1-6 ok"]
    assert len(desk.beliefs(scope)) == 6
    assert harness.rows("SELECT spent_tokens, reserved_tokens FROM model_budgets") == [(36, 0)]
    assert batches.take_in(harness.parts, [answered(line) for line in lines]) == {"answered": 2}


def test_a_look_sets_nothing_aside(desk: Desk, scope: Scope) -> None:
    desk.say(scope, *likes(6))
    desk.drain()

    assert handed(desk, peek=True) == handed(desk, peek=True)
    assert len(desk.requests()) == 2
    assert len(handed(desk)) == 2
    assert handed(desk) == []


def test_replies_to_a_look_are_as_good_as_any(desk: Desk, harness: Harness, scope: Scope) -> None:
    desk.say(scope, *likes(6))
    desk.drain()

    assert batches.take_in(harness.parts, map(answered, handed(desk, peek=True))) == {"ok": 2}

    assert desk.drain() == ["consolidate 1-6 ok"]


def test_what_no_reply_came_to_is_asked_again_and_a_late_one_still_counts(
    desk: Desk, harness: Harness, scope: Scope
) -> None:
    desk.say(scope, *likes(6))
    desk.drain()
    lines = handed(desk, hours=1)
    harness.later(3601)

    assert harness.parts.batches.take_back() == 2
    assert len(desk.requests()) == 2
    assert harness.rows("SELECT spent_tokens, reserved_tokens FROM model_budgets") == [(0, 0)]

    assert batches.take_in(harness.parts, map(answered, lines)) == {"ok": 2}
    assert desk.drain() == ["consolidate 1-6 ok"]


def test_what_two_batches_expired_over_is_left_to_who_is_asked_live(desk: Desk, harness: Harness, scope: Scope) -> None:
    desk.say(scope, *likes(6))
    desk.drain()
    for _ in range(2):
        assert len(handed(desk, hours=1)) == 2
        harness.later(3601)
        assert harness.parts.batches.take_back() == 2
    assert len(handed(desk, peek=True)) == 2, "nobody else could be asked"

    vars(harness.parts).update(provider=Echo())

    assert handed(desk) == []
    asker = asking.asker(harness.parts.database, harness.parts.settings, Echo(), harness.parts.models)
    assert [asker.ask("ann"), asker.ask("ann"), asker.ask("ann")] == ["ok", "ok", None]
    assert desk.drain() == ["consolidate 1-6 ok"]


def test_lines_that_are_no_replies_are_all_told_and_the_others_taken(
    desk: Desk, harness: Harness, scope: Scope
) -> None:
    desk.say(scope, *likes(6))
    desk.drain()
    first, second = handed(desk)

    with pytest.raises(Incorrect, match=r"has 2 problems|have 2 problems|2 problems") as told:
        batches.take_in(harness.parts, ["{", answered(first), '{"custom_id": 7}', "", answered(second, status=500)])

    assert "line 1" in str(told.value)
    assert "line 3" in str(told.value)
    assert desk.requests("answered") == [json.loads(first)["custom_id"]]
    assert desk.requests("pending") == [json.loads(second)["custom_id"]]
    unknown = answered(first).replace(json.loads(first)["custom_id"], "f" * 40)
    assert batches.take_in(harness.parts, [unknown]) == {"unknown": 1}


def test_anthropics_form_goes_out_and_comes_back_too(desk: Desk, harness: Harness, scope: Scope) -> None:
    desk.say(scope, *likes(4))
    desk.drain()
    (line,) = handed(desk, form="anthropic")
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
    assert batches.take_in(harness.parts, [json.dumps(reply)]) == {"ok": 1}

    assert desk.drain() == ["consolidate 1-4 ok"]


def test_status_shows_what_waits_and_a_budget_that_pauses(desk: Desk, harness: Harness, scope: Scope) -> None:
    desk.say(scope, *likes(8))
    desk.drain()
    harness.rows(
        "INSERT INTO model_budgets (tenant, day, cap_tokens, spent_tokens) "
        "VALUES ('default', (slowwave_now() AT TIME ZONE 'UTC')::date, 100, 90)"
    )
    harness.rows("INSERT INTO model_breakers (provider, tenant, width, failures, open_until) "
                 "VALUES ('fake', '_system', 1, 3, slowwave_now() + interval '1 hour')")  # fmt: skip

    shown = [text for _, text in _lines(harness.parts.records.overview(TENANT), [], harness.parts.schedule.now())]

    assert "2 requests waiting, 0 asked, for 1 window" in shown
    assert "90 of 100 tokens spent today" in shown
    assert any(text.startswith("paused: budget, until ") for text in shown)
    assert any("breaker open, retried at" in text and "after 3 failures" in text for text in shown)
