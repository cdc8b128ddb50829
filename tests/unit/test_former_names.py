"""A former name returns what the present name returns, and warns with the present name."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from slowwave import errors
from slowwave.adapters import AsyncTalk, Talk
from slowwave.adapters.openai_agents import SlowwaveSession
from slowwave.domain.dead_letter import Review
from slowwave.domain.delta import AppliedDelta
from slowwave.domain.erasure import Erasure
from slowwave.domain.explanation import Explanation
from slowwave.domain.overview import ModelCallsOverview, Overview
from slowwave.domain.recollection import Recollection
from slowwave.domain.webhook import Answered
from slowwave.memory.dry_runs import Replay

PROPERTIES: list[tuple[type, str, str]] = [
    (Recollection, "told", "text_with_end"),
    (AppliedDelta, "said", "claim"),
    (Review, "said", "content"),
    (Answered, "said", "description"),
    (Answered, "taken", "accepted"),
    (Explanation, "held", "believed"),
    (Erasure, "held", "under_legal_hold"),
    (Overview, "behind", "unread_episodes"),
    (ModelCallsOverview, "silent", "without_claims"),
    (Replay, "kept", "of_no_pack"),
]
"""Classes of results, with a former and a present name."""


def bare(kind: type, monkeypatch: pytest.MonkeyPatch, present: str, value: object) -> Any:
    """Return an object of *kind* without fields; *present* has the value *value*."""
    monkeypatch.setattr(kind, present, value)
    return object.__new__(kind)


def warned(call: Callable[[], object], former: str, present: str) -> object:
    """Return the result of *call*, which warns once, and in this file."""
    with pytest.warns(DeprecationWarning, match=f"^write `{present}` for `{former}`, the former name$") as seen:
        result = call()
    assert [one.filename for one in seen] == [__file__]
    return result


@pytest.mark.parametrize(("kind", "former", "present"), PROPERTIES)
def test_a_former_field_has_the_value_of_the_present_field(
    kind: type, former: str, present: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    value = object()
    one = bare(kind, monkeypatch, present, value)

    assert warned(lambda: getattr(one, former), former, present) is value


def test_the_former_name_of_an_error_is_the_error() -> None:
    assert warned(lambda: errors.Unauthorised, "Unauthorised", "Unauthorized") is errors.Unauthorized
    assert not hasattr(errors, "Unknown")


def test_the_former_push_of_a_talk_pushes(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = bare(Talk, monkeypatch, "push", lambda self, turns: [turns])

    assert warned(lambda: talk.remember("turns"), "remember", "push") == ["turns"]


@pytest.mark.parametrize(
    ("kind", "former", "present"),
    [(AsyncTalk, "remember", "push"), (SlowwaveSession, "told", "input_with_memories")],
)
def test_a_former_async_method_calls_the_present_method(
    kind: type, former: str, present: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def called(_: object, argument: str) -> list[str]:
        return [argument]

    one = bare(kind, monkeypatch, present, called)

    async def awaited() -> object:
        return await getattr(one, former)("it")

    assert warned(lambda: asyncio.run(awaited()), former, present) == ["it"]
