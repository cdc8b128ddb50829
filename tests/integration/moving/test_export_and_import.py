"""Memories leave an installation in a file and arrive in another: the same ids, the same beliefs, once."""

from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.errors import Conflict, Incorrect, NotFound
from slowwave.memory import Memory, work
from tests.integration.command import ALICE


def test_what_arrives_is_what_left_and_arrives_once(
    alice: Memory, there: Memory, elsewhere: wiring.Parts, tmp_path: Path
) -> None:
    file = tmp_path / "memories.jsonl"
    here = alice.scope("alice", agent="concierge", channel="home")
    here.goals.add("find a flat in Oslo")

    left = alice.export(file)
    arrived = there.import_file(file)
    again = there.import_file(file)

    assert (left.scopes, left.rows) == (arrived.scopes, arrived.rows)
    assert (again.scopes, again.known) == (0, left.scopes)
    assert there.digest() == alice.digest()
    scope = there.scope("alice", agent="concierge", channel="home")
    assert [fact.id for fact in scope.facts()] == [fact.id for fact in here.facts()]
    (fact,) = (fact for fact in scope.facts() if fact.predicate == "lives_in")
    assert str(there.why(fact.id)) == str(alice.why(fact.id))
    assert [review.reason for review in there.review()] == [review.reason for review in alice.review()]
    there.drain()
    assert there.digest() == alice.digest()
    assert [one.text for one in scope.recall("Where does Alice live?")] == [
        one.text for one in here.recall("Where does Alice live?")
    ]
    assert there.export(tmp_path / "back.jsonl").rows.keys() == left.rows.keys()
