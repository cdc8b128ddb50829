"""Reploid: what is used fades more slowly; what has faded leaves recall, and comes back when it is asked for."""

import pytest

from slowwave.domain.job_table import DECAY
from slowwave.domain.scope import Scope
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.counted_recall import write_accesses
from slowwave.memory.verb_group import parts_of
from tests.contract.harness import Harness
from tests.contract.memory_state.harness import chosen, later, run


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
