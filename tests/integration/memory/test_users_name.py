"""Who asks about the user by name finds the user's facts, and not those of a friend."""

from collections.abc import Sequence

import pytest

from slowwave import wiring
from slowwave.domain.scope import Scope
from slowwave.memory import MemoryScope


def told(parts: wiring.Parts, scope: Scope, words: Sequence[str]) -> MemoryScope:
    known = MemoryScope(parts, scope)
    for said in words:
        known.push(said)
    known.consolidate()
    return known


FRIENDS = ["My friend Kari lives in Bergen", "My friend Ben lives in Rome", "I live in Oslo", "My sister is Ana"]


@pytest.mark.parametrize(
    "question", ["Where does Alice live?", "where does alice live", "In which city is Alice's home?"]
)
def test_the_users_home_stands_before_a_friends(parts: wiring.Parts, scope: Scope, question: str) -> None:
    known = told(parts, scope, FRIENDS)

    found = known.recall(question, kinds=["typed"])

    assert found[0].text.endswith("Oslo")


def test_a_friend_is_still_found_by_name(parts: wiring.Parts, scope: Scope) -> None:
    known = told(parts, scope, FRIENDS)

    assert known.recall("Where does Kari live?", kinds=["typed"])[0].text == "Kari lives in Bergen"
