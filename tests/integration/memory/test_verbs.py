"""Every public verb with wrong arguments raises only our errors, each with the problem."""

import contextlib
import inspect
import math
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from operator import attrgetter
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from slowwave import QueueClient, wiring
from slowwave.domain.scope import Scope
from slowwave.errors import Fault, Incorrect, NotFound, SlowwaveError, Unavailable
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.graph_builder import GraphBuilder
from slowwave.memory.verb_group import parts_of
from slowwave.wiring import Options
from tests.integration.steps import learn
from tests.unit.tables import table

NOTEBOOKS = ("goals", "consensus", "continuum", "stream", "tools", "strategies", "graph", "tree", "working")
BY_THE_BROKER = {"client", "queued"}
"""Faces with an unreachable broker."""
LEFT_OUT = {"close", "connect"}
"""Verbs that close or open the parts of the process, which have their own tests."""
WAITS = {"drain", "consolidate"}
"""Verbs that raise an error if work is left after their time limit."""

NOWHERE = "redis+socket:///nowhere/redis.sock"
"""The address of an unreachable broker."""

NASTY = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([-1, 0, 2**31, 2**70, -(2**70), 1e30, 10**5000, -1.5, math.inf, -math.inf, math.nan]),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from(["", " ", "\0", "\ud800", "x\u200b", "5", "x" * 300, "e\u0301", "_system", "y" * 300_000]),
    st.binary(max_size=5),
    st.just(uuid.uuid4()),
    st.sampled_from(
        [
            datetime(2026, 1, 1),  # noqa: DTZ001 - naive times are among the slips
            datetime(2026, 1, 1, tzinfo=UTC),
            datetime.min.replace(tzinfo=UTC),
            datetime.max.replace(tzinfo=UTC),
        ]
    ),
    st.sampled_from([[1], ["a", None], {"a": 1}, {1: 2}, {"content": "hello"}, {"a": {1, 2}}, object, object()]),
    st.lists(st.text(max_size=3) | st.none(), max_size=3),
)


@pytest.fixture
def faces(mindful: Memory) -> Iterator[dict[str, Any]]:
    """Every object with verbs, by name."""
    with QueueClient(NOWHERE) as client:
        yield {**_faces(mindful), "client": client, "queued": client.scope("alice")}


def _faces(mindful: Memory) -> dict[str, Any]:
    scope = mindful.scope("alice", agent="concierge", channel="trip")
    notebooks = {name: getattr(scope, name) for name in NOTEBOOKS if name != "working"}
    return {
        "memory": mindful,
        "scope": scope,
        **notebooks,
        "working": scope.working("s1"),
        "builder": GraphBuilder(parts_of(mindful).embedder),
    }


def every_verb(faces: dict[str, Any]) -> Iterator[tuple[str, str, Callable[..., Any]]]:
    """Give each verb of each face, with both names."""
    for face, one in faces.items():
        yield from ((face, verb, method) for verb, method in verbs(one) if verb not in LEFT_OUT)


def verbs(face: object) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Give every public method of *face*."""
    for name in dir(type(face)):
        kind = inspect.getattr_static(type(face), name)
        if not name.startswith("_") and isinstance(kind, FunctionType | staticmethod | classmethod):
            yield name, getattr(face, name)


def test_each_verb_group_of_a_scope_is_tested() -> None:
    members = [member for kind in MemoryScope.__mro__ for member in vars(kind).items()]
    properties = {name for name, value in members if isinstance(value, property) and name[0] != "_"} - {"reach"}

    assert properties | {"working"} == set(NOTEBOOKS)


def test_each_public_verb_checks_its_arguments(faces: dict[str, Any]) -> None:
    checked = {f"{face}.{verb}": "checked" in method.__code__.co_qualname for face, verb, method in every_verb(faces)}

    assert [name for name, is_checked in checked.items() if not is_checked] == []


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_arguments_of_a_verb_raise_only_our_errors(faces: dict[str, Any], data: st.DataObject) -> None:
    face, verb = data.draw(st.sampled_from(sorted((face, verb) for face, verb, _ in every_verb(faces))))
    method = getattr(faces[face], verb)
    names = [name for name, one in inspect.signature(method).parameters.items() if one.kind is not one.VAR_KEYWORD]
    chosen = data.draw(st.dictionaries(st.sampled_from([*names, "slip"]), NASTY, max_size=len(names) + 1))

    try:
        method(**chosen)
    except Incorrect as error:
        if not error.hint:
            raise AssertionError(f"{face}.{verb}({chosen!r}) gives no hint") from error
    except (Fault, Unavailable) as error:
        if (verb in WAITS or face in BY_THE_BROKER) and isinstance(error, Unavailable):
            return
        raise AssertionError(f"{face}.{verb}({chosen!r}) says that something of ours is broken") from error
    except SlowwaveError:
        pass


def test_a_verb_refuses_missing_or_extra_or_unknown_arguments(faces: dict[str, Any]) -> None:
    for face, verb, method in every_verb(faces):
        parameters = inspect.signature(method).parameters.values()
        named = any(each.kind is each.VAR_KEYWORD for each in parameters)
        needed = [each for each in parameters if each.default is each.empty and each.kind is not each.VAR_KEYWORD]
        slips: list[tuple[list[Any], dict[str, Any]]] = [([None] * (len(parameters) + 1), {})]
        slips += [([], {})] if needed else []
        slips += [] if named and not needed else [([], {"nokw": 1})]
        for args, kwargs in slips:
            with pytest.raises(Incorrect) as refusal:
                method(*args, **kwargs)
            assert refusal.value.hint, (face, verb, args, kwargs)


def test_the_signature_of_a_verb_is_readable(faces: dict[str, Any]) -> None:
    shown = {
        f"{face}.{verb}": str(inspect.signature(method)) for face, one in faces.items() for verb, method in verbs(one)
    }

    assert [name for name, text in shown.items() if any(odd in text for odd in ("0x", "<function", "Annotated["))] == []
    assert shown["scope.pin"].startswith("(recollection: slowwave.domain.recollection.Recollection)")
    assert "question: str, *, limit: int = 10" in shown["scope.recall"]


def test_an_argument_of_several_types_has_one_problem(mindful: Memory) -> None:
    scope = mindful.scope("alice")
    slips: dict[str, Callable[[], object]] = {
        "fact: expected an id or text, got None": lambda: mindful.why(None),  # type: ignore[arg-type]  # a slip
        "fact: is empty": lambda: mindful.why(""),
        "memory: expected a Recollection or an id, got text": lambda: scope.standing("x"),  # type: ignore[arg-type]  # a slip
    }
    for problem, slip in slips.items():
        with pytest.raises(Incorrect) as refusal:
            slip()
        assert refusal.value.problems == (problem,)


def test_a_memory_that_was_closed_says_so(parts: wiring.Parts) -> None:
    for asked_before in (True, False):
        memory = Memory.connect(parts.url)
        if asked_before:
            memory.holds()
        memory.close()
        with pytest.raises(Incorrect, match="this memory was closed") as refusal:
            memory.scope("alice").push("Hello")
        assert "connect again" in str(refusal.value)


def test_why_accepts_the_shown_prefix_of_a_fact_id(mindful: Memory) -> None:
    scope = learn(mindful.scope("alice"), "I live in Oslo.")
    (fact,) = scope.facts()

    assert mindful.why(str(fact.id)[:8]).fact == scope.why(str(fact.id)[:8]).fact == fact.id
    with pytest.raises(NotFound, match="is not the id of a fact"):
        scope.why("nothing of the kind")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(told=st.dictionaries(st.sampled_from([*Options.__annotations__, "slip"]), NASTY, max_size=3), url=NASTY)
def test_any_arguments_of_connect_raise_only_our_errors(
    parts: wiring.Parts, told: dict[str, Any], url: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the name may be that of an outbox

    for address in (parts.url, url or ""):
        try:
            Memory.connect(address, **told).close()
        except Incorrect as error:
            if not error.hint:
                raise AssertionError(f"connect({told!r}) gives no hint") from error


class Unspeakable:
    """An argument of a tool whose conversion to text fails."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize("given_back", [10**5000, {10**5000: 1}, [Unspeakable()], {Unspeakable(): 1}], ids=type)
def test_a_tool_call_with_any_arguments_and_results_is_stored(mindful: Memory, given_back: Any) -> None:
    scope = mindful.scope("alice")

    for book in (scope.tools, scope.strategies):
        stored = book.record_invocation("c", "t", "search", given_back, given_back, True, 1.0)
        assert stored.state == "stored"


@given(told=NASTY)
def test_any_scope_arguments_raise_only_our_errors(told: Any) -> None:
    for asked in (Scope("default", "alice", "concierge").episode_id, Scope.parse):
        with contextlib.suppress(Incorrect):
            asked(told)


UNSENDABLE = ["http://a b/", f"http://{300 * 'a'}.b", "http://a/\n", "http://a/é", "http:///x", "http://\ud800/"]


@pytest.mark.parametrize("url", UNSENDABLE)
def test_an_address_that_no_request_can_be_sent_to_is_refused_by_connect(url: str) -> None:
    with pytest.raises(Incorrect, match="url: is not the address of a server"):
        Memory.connect(url, key="k")


@pytest.mark.parametrize("key", ["a\nb", "a b", "é", "\0"])
def test_a_key_that_no_request_can_carry_is_refused_and_not_repeated(key: str) -> None:
    with pytest.raises(Incorrect, match="key: is not a valid key") as caught:
        Memory.connect("http://127.0.0.1:9", key=key)
    assert key not in str(caught.value)


FACT = {"subject": "Ann", "predicate": "lives_in", "object": "Oslo"}
NOTHING = {
    "kind": "noop",
    "source_episode_ids": ["e1"],
    "promotion_ts": datetime(2026, 1, 1, tzinfo=UTC),
    "rule_id": "by-hand",
    "confidence": 1.0,
}


def said(name: str) -> Callable[[Memory, MemoryScope], object]:
    """Return the call of this name in `verbs.yaml`."""

    def act(memory: Memory, scope: MemoryScope) -> object:
        with QueueClient(NOWHERE) as client:  # wrong arguments are refused before anything is sent
            faces = {"m": memory, "s": scope, "w": scope.working("s"), "q": client.scope("alice"), "c": client}
            verb, given, _ = ROWS[name]
            face, _, path = verb.partition(".")
            method = attrgetter(path)(faces[face])
            return method(**given) if isinstance(given, dict) else method(*given)

    return act


ROWS = table(__file__)
SLIPS: dict[str, tuple[Callable[[Memory, MemoryScope], object], str]] = {
    **{name: (said(name), expected) for name, (*_, expected) in ROWS.items()},
    "a delta for too many reasons": (
        lambda _, s: s.apply({**NOTHING, "reason": "why " * 5_000}),
        "reason: has 20000 bytes, at most 16384 are allowed",
    ),
    "a delta of too many sources": (
        lambda _, s: s.apply({**NOTHING, "source_episode_ids": ["e"] * 1_001}),
        "source_episode_ids: has 1001 items, at most 1000 are allowed",
    ),
    "a delta about nobody": (
        lambda _, s: s.apply({**NOTHING, "kind": "add", "fact_payload": {**FACT, "subject": " "}}),
        "fact_payload.subject: is empty",
    ),
    "a delta with a NUL": (
        lambda _, s: s.apply({**NOTHING, "kind": "add", "fact_payload": {**FACT, "object": "a\0b"}}),
        "fact_payload.object: contains a NUL character",
    ),
    "an outbox that no file can be": (
        lambda m, _: Memory.connect(parts_of(m).url, outbox="\0"),
        "outbox: contains NUL",
    ),
    "a folder of rules that none can be": (
        lambda m, _: Memory.connect(parts_of(m).url, rules="r" * 5_000),
        "one of the paths",
    ),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_an_invalid_argument_of_a_verb_is_named(slip: str, mindful: Memory) -> None:
    act, expected = SLIPS[slip]

    refused(lambda: act(mindful, mindful.scope("alice", agent="concierge")), expected)


def refused(act: Callable[[], object], expected: str) -> Incorrect:
    """Return the refusal of a slip, which names the expected problem and gives a hint."""
    with pytest.raises(Incorrect) as refusal:
        act()
    assert any(problem.startswith(expected) for problem in refusal.value.problems), refusal.value.problems
    assert refusal.value.hint
    return refusal.value


CUT_SHORT = {"tool_input", "tool_output"}
"""Fields that `record_invocation` shortens to their beginning instead of refusing a long value."""


TURNS = {"add_turn"}
"""Verbs that validate their arguments as an episode once they have a content."""


def test_each_text_argument_has_a_length_limit(faces: dict[str, Any]) -> None:
    page = "word " * 200_000
    unbounded = []
    for face, verb, method in every_verb(faces):
        beside = {"content": "x"} if verb in TURNS else {}
        if (face, verb) == ("client", "push_many"):  # its items are read once there is a scope for them
            beside = {"scope": faces["queued"].scope}
        for name in set(inspect.signature(method).parameters) - CUT_SHORT - {"default", "fields", "settings"}:
            try:
                method(**{**beside, name: page})
            except Incorrect as error:
                if any(not problem.endswith("is missing") for problem in error.problems):
                    continue
            except TypeError:  # Python's own, where an episode is missing
                continue
            unbounded.append(f"{face}.{verb}: {name}")
    assert unbounded == []
