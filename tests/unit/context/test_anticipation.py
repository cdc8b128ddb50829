"""Prefetching of memories: a background search never delays or breaks a caller, and the newest search wins."""

import threading
import uuid
from collections.abc import Iterator

import pytest

from slowwave.domain.recollection import Recollection
from slowwave.domain.scope import Scope
from slowwave.domain.working_memory import Conversation
from slowwave.errors import Unavailable
from slowwave.jobs.context import MOST_CONVERSATIONS, Anticipation
from tests.conftest import NOON

OF = Conversation(Scope("default", "alice", "concierge"), "s1")


@pytest.fixture
def anticipation() -> Iterator[Anticipation]:
    made = Anticipation()
    yield made
    made.close()


def memory(text: str) -> Recollection:
    return Recollection("episode", uuid.uuid4(), text, 1.0, {}, (), NOON)


def texts(anticipation: Anticipation, of: Conversation = OF) -> list[str]:
    return [one.text for one in anticipation.ready(of)]


def test_given_memories_are_ready_at_once_and_looked_up_memories_later(anticipation: Anticipation) -> None:
    go = threading.Event()

    def look() -> list[Recollection]:
        assert go.wait(10)
        return [memory("next")]

    anticipation.expect(OF, [memory("told")], look)
    assert texts(anticipation) == ["told"], "nobody waited"
    go.set()
    assert anticipation.settled(OF, 10)
    assert texts(anticipation) == ["next"]


def test_a_newer_look_up_replaces_a_waiting_one(anticipation: Anticipation) -> None:
    go, began, looked = threading.Event(), threading.Event(), list[str]()

    def look(name: str) -> list[Recollection]:
        looked.append(name)
        began.set()
        assert go.wait(10)
        return [memory(name)]

    anticipation.expect(OF, [], lambda: look("first"))
    assert began.wait(10)
    anticipation.expect(OF, [], lambda: look("second"))
    anticipation.expect(OF, [], lambda: look("third"))
    go.set()

    assert anticipation.settled(OF, 10)
    assert (looked, texts(anticipation)) == (["first", "third"], ["third"])


def test_a_failed_look_up_keeps_the_given_memories_and_the_next_one_runs(anticipation: Anticipation) -> None:
    def away() -> list[Recollection]:
        raise Unavailable("Postgres is unreachable", hint="ask later")

    anticipation.expect(OF, [memory("told")], away)
    assert anticipation.settled(OF, 10)
    assert texts(anticipation) == ["told"]
    anticipation.expect(OF, [], lambda: [memory("next")])
    assert anticipation.settled(OF, 10)
    assert texts(anticipation) == ["next"]


def test_conversations_that_were_silent_longest_are_forgotten(anticipation: Anticipation) -> None:
    others = [Conversation(OF.scope, f"s{number}") for number in range(MOST_CONVERSATIONS + 1)]
    for of in others:
        anticipation.expect(of, [memory(of.session)], list)
    assert all(anticipation.settled(of, 10) for of in others)

    assert len(anticipation._ready) == MOST_CONVERSATIONS
    anticipation.expect(others[-1], [memory("again")], lambda: [memory("again")])
    assert anticipation.settled(others[-1], 10)
    assert (texts(anticipation, others[0]), texts(anticipation, others[-1])) == ([], ["again"])


def test_a_closed_anticipation_looks_nothing_up() -> None:
    closed = Anticipation()
    closed.close()
    closed.expect(OF, [memory("told")], lambda: [memory("next")])

    assert texts(closed) == []
