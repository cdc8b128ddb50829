"""What a user holds shows values and other faces: no part of the store, of a job or of the wiring comes out."""

from collections.abc import Iterator
from typing import Any

import pytest

from slowwave.domain.episode import Episode
from slowwave.memory import Memory
from slowwave.memory.graph_builder import GraphBuilder

ROOMS = ("store", "jobs", "wiring", "ports", "embedded", "cli", "rules", "retrieval", "cache", "queue", "settings")
"""The rooms of which nothing is a user's."""


def is_inside(kind: type) -> bool:
    """Return whether a *kind* stands in one of the rooms that are nobody's."""
    return kind.__module__.startswith("slowwave.") and kind.__module__.split(".")[1] in ROOMS


def attributes(thing: object) -> Iterator[tuple[str, Any]]:
    """Give what *thing* shows by a name without an underscore, and is no verb."""
    for name in dir(thing):
        if not name.startswith(("_", "model_")) and not callable(value := getattr(thing, name)):
            yield name, value


def strangers(thing: Any, path: str, seen: set[int]) -> Iterator[str]:
    """Give the path to everything of the inside that can be reached from *thing* by its attributes and items."""
    if is_inside(type(thing)):
        yield f"{path} is a {type(thing).__module__}.{type(thing).__name__}"
    elif id(thing) not in seen:
        seen.add(id(thing))
        if isinstance(thing, dict):
            for key, value in thing.items():
                yield from strangers(value, f"{path}[{key!r}]", seen)
        elif isinstance(thing, list | tuple | set | frozenset):
            for number, value in enumerate(thing):
                yield from strangers(value, f"{path}[{number}]", seen)
        elif type(thing).__module__.startswith("slowwave"):
            for name, value in attributes(thing):
                yield from strangers(value, f"{path}.{name}", seen)


@pytest.fixture
def held(mindful: Memory) -> dict[str, Any]:
    """Everything a user may hold, and a result of each kind that is cheap to get."""
    scope = mindful.scope("alice", agent="concierge", channel="trip")
    receipt = scope.push(Episode(content="I live in Lisbon", key="k", session="s1"))
    due = scope.end_session("s1")
    reports = scope.consolidate()
    (fact,) = scope.facts()
    working = scope.working("s1")
    turn = working.add_turn("Where do I live?")
    builder = GraphBuilder()
    builder.add("hello")
    return {
        "memory": mindful,
        "scope": scope,
        "receipt": receipt,
        "due": due,
        "reports": reports,
        "facts": fact,
        "why": scope.why(fact.id),
        "deltas": mindful.deltas(),
        "answers": scope.recall("where do I live?"),
        "stats": mindful.stats(),
        "working": working,
        "turn": turn,
        "context": working.get_context(),
        "goal": scope.goals.add("find a flat"),
        "entry": scope.continuum.store("the key is under the mat"),
        "position": scope.consensus.store_consensus({"topic": "t", "statement": "s", "agents": ["a"]}),
        "preview": mindful.archive_preview(),
        "builder": builder,
        "graph": builder.graph("default"),
    }


def test_public_objects_expose_no_internal_objects(held: dict[str, Any]) -> None:
    assert [path for name, one in held.items() for path in strangers(one, name, set())] == []


def test_the_repr_of_each_public_object_is_one_short_line(held: dict[str, Any]) -> None:
    shown = [repr(one) for some in held.values() for one in (some if isinstance(some, list) else [some])]

    assert [line for line in shown if len(line) > 100 or not line.isprintable() or not line.startswith("<")] == []
    assert [line for line in shown if " object at 0x" in line] == []
