"""A run killed while it packs leaves a whole block or none; recall stays exact, and the next run continues."""

from typing import Any

import pytest

from slowwave.core.blocks.codes import BLOCK
from slowwave.core.blocks.words import COLUMNS
from slowwave.domain.job_table import PREPARE
from slowwave.domain.scope import Scope
from slowwave.memory import due_work
from slowwave.retrieval.recall import recall
from slowwave.store.blocks import packing
from slowwave.store.blocks.block_cache import BLOCK_CACHE
from slowwave.store.recall.recall import Memories
from tests.contract.blocks.dying import killed
from tests.contract.blocks.harness import editions, talk, tell
from tests.contract.harness import Harness

QUESTIONS = ("the cello and the harbour", "copper lantern number 41", "what did Ann say of the orchard?")
STATEMENTS = 3
"""The statements that pack a block: one gathers it, one writes its words, and one writes its codes."""


def found_as_exactly(harness: Harness, scope: Scope) -> bool:
    """Return whether recall finds the same first ten, in the same order, as a scan of the scope."""
    BLOCK_CACHE.forget()  # as a process that starts now
    ways = [Memories(harness.parts.database), Memories(harness.parts.database, whole=True)]
    for question in QUESTIONS:
        one, other = ([each.id for each in _asked(harness, scope, question, way)] for way in ways)
        if one != other or len(one) != 10:
            return False
    return True


def _asked(harness: Harness, scope: Scope, question: str, way: Memories) -> Any:
    return recall(question, [scope], store=way, embedder=harness.parts.embedder, limit=10)


def packed(harness: Harness, scope: Scope) -> dict[int, tuple[bytes, ...]]:
    """Return the content of every complete block of *scope*, with its codes."""
    columns = ", ".join(f"w.{column}" for column in COLUMNS)
    rows = harness.rows(
        f"SELECT block, {columns}, v.codes FROM word_blocks AS w FULL JOIN vector_blocks AS v USING (scope, block) "
        "WHERE scope = %s ORDER BY block",
        scope.id,
    )
    assert all(None not in row for row in rows), "half a block is stored"
    assert len({row[0] for row in rows}) == len(rows), "a block is stored twice"
    return {block: tuple(map(bytes, told)) for block, *told in rows}


def whole(harness: Harness, scope: Scope, episodes: int) -> bool:
    """Return whether every complete block of *scope* is packed and equals a newly packed one."""
    was = packed(harness, scope)
    with harness.parts.database.tenant(scope.tenant) as connection:
        packing.erase(connection, scope.id, range(1, episodes + 1))
    return list(was) == list(range(episodes // BLOCK)) and packed(harness, scope) == was


@pytest.mark.accept
@pytest.mark.timeout(300)
def test_a_kill_at_any_point_of_packing_changes_no_answer(harness: Harness, scope: Scope) -> None:
    tell(harness, scope, talk(BLOCK))
    told, deaths, outcomes = BLOCK, 0, []
    while True:
        harness.parts.push(scope, talk(BLOCK, start=told + 1))
        told += BLOCK
        before = editions(harness, scope)
        if not killed(harness.parts.url, deaths + 1):
            break
        deaths += 1

        after = editions(harness, scope)
        assert {block: after[block] for block in before} == before
        outcomes.append(len(packed(harness, scope)) - len(before))
        assert found_as_exactly(harness, scope), f"after death {deaths}"

        harness.later(harness.lease + 1)
        while due_work.run_next(harness.parts, owner="healthy", only=[PREPARE]):
            pass
        assert len(packed(harness, scope)) == told // BLOCK, f"after death {deaths}"

    commit = 2 * STATEMENTS + 1
    assert deaths > commit
    assert set(outcomes[:commit]) == {0}, "before its end nothing is there"
    assert set(outcomes[commit:]) == {1}, "after it, everything"
    assert whole(harness, scope, told)
    nowhere = "SELECT count(*) FROM episode_vectors WHERE space NOT IN (SELECT space FROM embedding_spaces)"
    assert harness.value(nowhere) == 0, "a space that was made in a run that failed is made again"
    assert found_as_exactly(harness, scope)
