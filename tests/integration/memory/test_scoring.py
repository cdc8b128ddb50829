"""The scoring of memories follows the tenant's preset, tested on Postgres with the recall that agents call."""

from collections.abc import Callable
from datetime import timedelta

from slowwave.domain.episode import Episode
from slowwave.domain.recollection import Recollection
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.counted_recall import write_accesses
from slowwave.memory.verb_group import parts_of
from slowwave.testing import stop_clock
from tests.conftest import NOON

Living = Callable[[str], MemoryScope]


def say(agent: MemoryScope, *turns: str, apart: timedelta) -> None:
    """Push *turns* at this distance in time, and prepare them."""
    agent.push_many([
        Episode(content=words, key=f"e{number}", session="s1", occurred_at=NOON + number * apart)
        for number, words in enumerate(turns)
    ])  # fmt: skip
    Memory(parts_of(agent)).drain()


def contiguity(found: list[Recollection], words: str) -> float:
    return next(one.reasons["contiguity"] for one in found if one.text == words)


WALK = ["My sister plays a musical instrument in a quartet.", "The big one made of wood.",
        "Tea is better cold.", "Rain all week.", "The ferry was late.", "I sold the car."]  # fmt: skip


def test_an_answer_ranks_higher_beside_its_question_of_an_hour_before(living: Living) -> None:
    agent = living("default")
    say(agent, *WALK, apart=timedelta(hours=1))

    found = agent.recall("what musical instrument does the sister play?")

    assert [one.text for one in found[:2]] == WALK[:2]
    assert contiguity(found, WALK[1]) > 0.3 > contiguity(found, WALK[5])


def test_a_preset_with_salience_prefers_a_used_memory_to_a_closer_match(living: Living, owner_url: str) -> None:
    used, better = "The cello stands in the hall.", "The cello stands in the hall of the house."
    neutral, salient = living("default"), living("stargraph_v1")
    say(neutral, used, "Tea is better cold.", "Rain all week.", "The ferry was late.", better, apart=timedelta(days=1))
    stop_clock(owner_url, NOON + timedelta(days=60))
    question = "who stands in the hall of the house with a cello?"
    assert [one.text for one in neutral.recall(question, limit=2)] == [better, used]

    (met,) = salient.recall("The cello stands in the hall.", limit=1)
    assert met.text == used
    write_accesses(parts_of(salient))
    first, second = salient.recall(question, limit=2)

    assert [first.text, second.text] == [used, better]
    assert first.reasons["salience"] > 0.99 > 0.01 > second.reasons["salience"]
    assert "salience" not in neutral.recall(question)[0].reasons
