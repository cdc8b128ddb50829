"""Reploid, targets: memories are reused, stored, prefetched and forgotten; a used memory fades more slowly."""

import pytest

from slowwave.domain.job_table import DECAY
from slowwave.domain.scope import Scope
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.counted_recall import write_accesses
from slowwave.memory.verb_group import parts_of
from tests.contract.harness import Harness
from tests.contract.memory_state.harness import changed, chosen, later, run
from tests.databases import heard


@pytest.mark.requirement("S1.10")
def test_forgetting_follows_a_curve_of_its_kind(harness: Harness, alice: MemoryScope) -> None:
    chosen(harness, "default")
    mine = MemoryScope(harness.parts, alice.scope)
    harness.told(alice.scope, 2)
    Memory(harness.parts).drain()
    stated, guessed = (fact.id for fact in mine.facts())
    changed(harness, guessed, source="inferred")
    before = [mine.standing(fact).strength or 0 for fact in (stated, guessed)]
    later(harness, days=90)
    after = [mine.standing(fact).strength or 0.0 for fact in (stated, guessed)]

    assert after[0] == before[0]
    assert 0 < (after[1] or 0) < (before[1] or 0)


@pytest.mark.requirement("S1.57")
def test_an_eviction_is_a_few_statements_and_asks_no_model_and_no_embedder(alice: MemoryScope) -> None:
    """`slowwave bench session` measures the milliseconds; they depend on the number of statements, tested here."""
    working = alice.working("s1")
    for number in range(7):
        working.add_turn(f"{number} " + "word " * 500)
    assert working.needs_pruning(max_tokens=1_000)
    parts = parts_of(alice)
    embedded = list[object]()
    real = parts.embedder

    class Watched:
        def __getattr__(self, name: str) -> object:
            embedded.append(name)
            return getattr(real, name)

    vars(parts)["embedder"] = Watched()
    with heard() as asked:
        left = working.prune(max_tokens=1_000)
        statements = len(asked)
        alice.recent()
    vars(parts)["embedder"] = real

    assert (len(left) < 7, statements <= 12) == (True, True)
    assert len(asked) > statements, "what is asked is counted"
    assert (embedded, parts.provider) == ([], None)


@pytest.mark.requirement("S1.45", "S0.4")
def test_a_used_memory_lasts_longer_and_a_faded_memory_leaves_default_recall(harness: Harness, scope: Scope) -> None:
    chosen(harness, "reploid_0x68")
    mine = MemoryScope(harness.parts, scope)
    for number, words in enumerate(["The blue boat leaks.", "The red boat floats."]):
        mine.push(words, key=f"k{number}", session="s1")
    Memory(harness.parts).drain()
    _recalled(mine)
    for _ in range(20):
        mine.episode("k1")
    write_accesses(harness.parts)
    ids = [mine.episode(key).id for key in ("k0", "k1")]
    write_accesses(harness.parts)

    later(harness, days=20)
    rested, used = [mine.standing(id_).strength or 0.0 for id_ in ids]
    assert 0.1 < rested < used < 0.5
    assert _recalled(mine, counts=False) == {"The blue boat leaks.", "The red boat floats."}

    later(harness, days=16)
    run(harness, DECAY)
    assert _recalled(mine) == {"The red boat floats."}
    assert mine.standing(ids[0]).tier == "archive"

    assert _recalled(mine, archived=True) == {"The blue boat leaks.", "The red boat floats."}
    assert mine.standing(ids[0]).tier != "archive"
    assert _recalled(mine) == {"The blue boat leaks.", "The red boat floats."}


def _recalled(mine: MemoryScope, *, archived: bool = False, counts: bool = True) -> set[str]:
    if not counts:
        return {one.preview for one in mine.search_index("boat", kinds=["episode"])}
    found = {one.text for one in mine.recall("boat", kinds=["episode"], archived=archived)}
    write_accesses(parts_of(mine))
    return found
