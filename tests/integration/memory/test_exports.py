"""Constructors of everything that `slowwave` exports raise only our errors, also for wrong arguments."""

import inspect
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import slowwave
from slowwave import QueueClient, testing
from slowwave.domain.consensus import Verdict
from slowwave.domain.delta import parse_delta
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect, SlowwaveError
from slowwave.inference.static_embedder import StaticEmbedder
from slowwave.memory import Memory
from slowwave.memory.verb_group import parts_of
from slowwave.wiring import Parts
from tests.integration.memory.test_verbs import NASTY, NOWHERE, refused

HANDED_OUT = {
    "AsyncMemory", "AsyncMemoryScope", "Erasure", "Explanation", "Fact", "Receipt", "Recollection", "Report",
    "SalienceContext", "SalienceScorer", "SalientMemory", "Undone",
}  # fmt: skip
"""Classes that verbs return or scorers receive, and that users do not construct; `connect` makes AsyncMemory."""
WHY = {
    "source_episode_ids": ["e1"],
    "promotion_ts": datetime(2026, 1, 1, tzinfo=UTC),
    "rule_id": "by-hand",
    "confidence": 1.0,
}
FACT = {"subject": "Ann", "predicate": "lives_in", "object": "Oslo"}
ADDRESS = "postgresql://nobody@127.0.0.1:1/nowhere?connect_timeout=1"


def right(parts: Parts) -> dict[str, dict[str, Any]]:
    """Return arguments with which each can be made."""
    scope = Scope("default", "alice", "concierge")
    return {
        "AddDelta": {**WHY, "fact_payload": FACT},
        "DeleteDelta": {**WHY, "replaces": [str(uuid.uuid4())]},
        "Episode": {"content": "hello", "role": "user"},
        "GraphBuilder": {"embedder": StaticEmbedder(), "rule": None},
        "Memory": {"parts": parts},
        "MemoryDelta": {"value": {**WHY, "kind": "noop"}},
        "MemoryScope": {"_home": parts, "scope": scope},
        "NoopDelta": WHY,
        "QueueClient": {"broker_url": NOWHERE, "tenant": "default", "outbox": None},
        "QueueScope": {"client": None, "scope": scope},
        "Scope": {"tenant": "default", "user": "alice", "agent": "concierge"},
        "UpdateDelta": {**WHY, "replaces": [str(uuid.uuid4())], "fact_payload": FACT},
        "Verdict": {"topic": "t", "statement": "s", "agents": ["a"]},
        "move_clock": {"owner_url": ADDRESS, "offset": timedelta(0)},
        "stop_clock": {"owner_url": ADDRESS, "at": datetime(2026, 1, 1, tzinfo=UTC)},
    }


def made() -> dict[str, Callable[..., Any]]:
    """Return all exported or documented names that a user constructs or calls."""
    exported = {name: getattr(slowwave, name) for name in slowwave.__all__ if name not in HANDED_OUT}
    functions = {name: one for name, one in inspect.getmembers(testing, inspect.isfunction) if name[0] != "_"}
    ours = {name: one for name, one in functions.items() if one.__module__ == testing.__name__}
    errors = {name for name, one in exported.items() if inspect.isclass(one) and issubclass(one, Exception)}
    own = {name: one for name, one in exported.items() if name not in errors}
    return own | ours | {"MemoryDelta": parse_delta, "Verdict": Verdict}


def test_each_exported_type_has_test_arguments(parts: Parts) -> None:
    assert set(right(parts)) == set(made())


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_arguments_of_a_public_type_raise_only_our_errors(parts: Parts, data: st.DataObject) -> None:
    name, make = data.draw(st.sampled_from(sorted(made().items())))
    fields = right(parts)[name]
    wrong = data.draw(st.dictionaries(st.sampled_from([*fields, "slip"]), NASTY, max_size=3))
    left_out = data.draw(st.sets(st.sampled_from(sorted(fields)), max_size=2))
    told = {field: value for field, value in (fields | wrong).items() if field not in left_out}

    try:
        one = make(**told)
    except Incorrect as error:
        if not error.hint:
            raise AssertionError(f"{name}({told!r}) gives no hint") from error
    except SlowwaveError:
        pass
    else:
        if isinstance(one, QueueClient):
            one.close()


SLIPS: dict[str, tuple[Callable[[Memory], object], str]] = {
    "an empty delta": (lambda _: slowwave.AddDelta(), "rule_id: is missing"),  # type: ignore[call-arg]  # a slip
    "a delta by position": (lambda _: cast(Any, slowwave.NoopDelta)(5), "is one argument too many"),
    "a delta of no kind": (lambda _: parse_delta({"kind": "merge"}), "kind: expected one of add, update"),
    "a number for a delta": (lambda _: parse_delta(5), "is not an object"),
    "a number for an embedder": (lambda _: slowwave.GraphBuilder(5), "embedder: expected a Embedder, got 5"),  # type: ignore[arg-type]  # a slip
    "a number for the parts": (lambda _: Memory(5), "parts: expected a Parts, got 5"),  # type: ignore[arg-type]  # a slip
    "half a scope": (lambda _: Scope("a", "b"), "agent: is missing"),  # type: ignore[call-arg]  # a slip
    "a number for a user": (lambda _: Scope("a", 5, "c"), "user: expected text, got 5"),  # type: ignore[arg-type]  # a slip
    "a broker that is a number": (lambda _: QueueClient(5), "broker_url: is not an address of Redis"),  # type: ignore[arg-type]  # a slip
    "a broker of another kind": (lambda _: QueueClient("amqp://secret@h"), "broker_url: is not an address of Redis"),
    "an outbox that is a number": (lambda _: QueueClient(NOWHERE, outbox=5), "outbox: expected a path or text, got 5"),  # type: ignore[arg-type]  # a slip
    "connect with a number": (lambda _: Memory.connect(5), "url: expected text, got int"),  # type: ignore[arg-type]  # a slip
    "connect with words": (
        lambda m: Memory.connect(parts_of(m).url, worker_processes="two"),  # type: ignore[arg-type]  # a slip
        "worker_processes: expected an integer, got 'two'",
    ),
    "connect with a broker of another kind": (
        lambda m: Memory.connect(parts_of(m).url, broker_url="amqp://h"),
        "broker_url: expected an address like redis://",
    ),
    "connect with too many": (
        lambda m: Memory.connect(parts_of(m).url, worker_processes=1000),
        "worker_processes: expected an integer of 64 or less, got 1000",
    ),
    "connect with a slip": (
        lambda m: Memory.connect(parts_of(m).url, tennant="acme"),  # type: ignore[call-arg]  # a slip
        "tennant: is not a setting, did you mean tenant?",
    ),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_an_invalid_argument_of_a_constructor_is_named(slip: str, mindful: Memory) -> None:
    act, expected = SLIPS[slip]
    refusal = refused(lambda: act(mindful), expected)

    assert "environment" not in refusal.message
    assert "secret" not in str(refusal)


def test_wrong_settings_and_wrong_arguments_of_connect_are_named_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLOWWAVE_WINDOW", "many")

    with pytest.raises(Incorrect, match="the arguments of connect, and the environment") as refusal:
        Memory.connect(poll_seconds=-1)
    assert refusal.value.problems == (
        "poll_seconds: expected a number above 0.0, got -1",
        "SLOWWAVE_WINDOW: expected an integer, got 'many'",
    )
