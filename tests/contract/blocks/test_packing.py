"""Blocks are packed once, whole or not at all, when their episodes are prepared, and removed with their episodes."""

from datetime import timedelta
from typing import Any

import psycopg
import pytest

from slowwave.core.blocks.codes import BLOCK, encoded_bytes
from slowwave.core.blocks.fine_codes import fine_bytes
from slowwave.core.blocks.words import COLUMNS, NOWHERE, session_hash
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import ARCHIVE, PREPARE
from slowwave.domain.scope import Scope
from slowwave.memory import due_work
from slowwave.retrieval.recall import recall
from slowwave.store.blocks import packing
from slowwave.store.blocks.block_cache import BLOCK_CACHE
from slowwave.store.recall.recall import Memories
from tests.contract.blocks.dying import killed
from tests.contract.blocks.harness import editions, stored, talk, tell
from tests.contract.harness import Harness, somebody
from tests.contract.memory_state.harness import later, run
from tests.contract.retention.harness import Keep, keep

__all__ = ["keep"]
SIGN_BYTES = encoded_bytes(256) - fine_bytes(256, BLOCK)
"""The length of the codes that versions without fine codes stored."""


def lexemes(harness: Harness, scope: Scope) -> dict[str, list[int]]:
    """Return the positions of each word in the first two blocks, by the word."""
    return dict(
        harness.rows(
            "SELECT w, array_agg(position ORDER BY position) FROM episodes, unnest(tsvector_to_array(terms)) AS w "
            "WHERE scope = %s AND position <= 512 GROUP BY w",
            scope.id,
        )
    )


def test_a_block_lists_the_positions_of_each_word(harness: Harness, scope: Scope) -> None:
    tell(harness, scope, talk(600))

    words, spoken = stored(harness, scope), lexemes(harness, scope)

    assert list(words.blocks) == [0, 1]
    assert {
        word: sorted(words.positions(places)) for word, places in zip(spoken, words.having(list(spoken)), strict=True)
    } == spoken
    assert words.having(["nowhere", "never"])[1].size == 0
    assert list(words.columns["lengths"]) == [
        length
        for (length,) in harness.rows(
            "SELECT length(terms) FROM episodes WHERE scope = %s AND position <= 512 ORDER BY position", scope.id
        )
    ]


def test_packing_adds_new_blocks_and_keeps_packed_ones(harness: Harness, scope: Scope) -> None:
    tell(harness, scope, talk(300))
    before = editions(harness, scope)
    tell(harness, scope, talk(300, start=301))

    after = editions(harness, scope)

    assert (list(before), list(after)) == ([0], [0, 1])
    assert after[0] == before[0]
    assert list(editions(harness, scope, "vector_blocks")) == [0, 1]


def test_a_small_scope_has_no_blocks(harness: Harness, scope: Scope, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "PACKED_FROM", 400)
    tell(harness, scope, talk(300))
    assert editions(harness, scope) == {}

    tell(harness, scope, talk(300, start=301))

    assert list(editions(harness, scope)) == [0, 1]  # the following episodes were packed too


def test_existing_episodes_are_packed_over_several_runs(
    harness: Harness, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(harness, scope, talk(1100))
    harness.rows("DELETE FROM word_blocks; DELETE FROM vector_blocks")
    monkeypatch.setattr(packing, "AT_ONCE", 3)

    tell(harness, scope, talk(1, start=1101))
    assert list(editions(harness, scope)) == [0, 1, 2]

    tell(harness, scope, talk(1, start=1102))
    assert list(editions(harness, scope)) == list(editions(harness, scope, "vector_blocks")) == [0, 1, 2, 3]


def test_blocks_of_an_earlier_version_answer_alike_until_they_are_packed_again(
    harness: Harness, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("slowwave.core.blocks.codes.EXACT_BYTES", 0)
    tell(harness, scope, talk(600))

    def asked() -> list[Any]:
        store, embedder = Memories(harness.parts.database), harness.parts.embedder
        return [one.id for question in QUESTIONS for one in recall(question, [scope], store=store, embedder=embedder)]

    before = asked()
    harness.rows("UPDATE vector_blocks SET codes = substr(codes, 1, %s), edition = gen_random_uuid()", SIGN_BYTES)
    words, signs = editions(harness, scope), editions(harness, scope, "vector_blocks")
    assert asked() == before

    tell(harness, scope, talk(1, start=601))

    assert editions(harness, scope) == words
    assert not {*editions(harness, scope, "vector_blocks").values()} & {*signs.values()}
    assert harness.rows("SELECT DISTINCT octet_length(codes) FROM vector_blocks") == [(encoded_bytes(256),)]


def test_an_expired_conversation_leaves_no_words_or_codes_in_blocks(harness: Harness, scope: Scope, keep: Keep) -> None:
    keep(drop_after={"episodic": timedelta(days=100)})
    secret = [Episode(content="The instrument is a xylophone", key=f"x{n}", session="secret") for n in range(20)]
    tell(harness, scope, [*talk(200), *secret, *talk(400, start=201)])
    before, codes = stored(harness, scope), editions(harness, scope, "vector_blocks")
    assert before.having(["xylophon"])[0].size == 20

    later(harness, days=60)
    tell(harness, scope, [e.model_copy(update={"key": f"again{n}", "session": f"s{n}"}) for n, e in enumerate(talk(9))])
    later(harness, days=32)
    run(harness, ARCHIVE)
    later(harness, days=10)
    run(harness, ARCHIVE)

    after = stored(harness, scope)
    assert harness.rows("SELECT session FROM conversations WHERE tombstoned IS NOT NULL") == [("secret",)]
    assert after.having(["xylophon"])[0].size == 0
    assert session_hash("secret") not in set(after.columns["sessions"].tolist())
    assert (after.columns["received"] == NOWHERE).sum() == 20
    assert {block for block, code in editions(harness, scope, "vector_blocks").items() if code != codes[block]} == {0}
    assert list(editions(harness, scope, "vector_blocks")) == list(codes)


def test_dropping_a_month_removes_its_blocks(
    harness: Harness, scope: Scope, owner_url: str, superuser: psycopg.Connection
) -> None:
    tell(harness, scope, talk(300))
    superuser.execute("UPDATE conversations SET tombstoned = slowwave_now() + interval '1 day'")
    (month,) = harness.rows("SELECT date_trunc('month', slowwave_now())")[0]
    later(harness, days=40)
    tell(harness, scope, [e.model_copy(update={"session": "new"}) for e in talk(300, start=301)])
    assert list(editions(harness, scope)) == [0, 1]
    other = somebody()
    tell(harness, other, talk(300))

    superuser.execute("SET ROLE slowwave_dispatch")
    assert superuser.execute("SELECT slowwave_drop_forgotten_month(%s)", [month]).fetchone() == (True,)

    assert editions(harness, scope) == editions(harness, scope, "vector_blocks") == {}
    assert list(editions(harness, other)) == list(editions(harness, other, "vector_blocks")) == [0]


def test_an_erased_episodes_block_is_packed_again_without_it(harness: Harness, scope: Scope) -> None:
    tell(harness, scope, talk(600))
    before = editions(harness, scope)

    with harness.parts.database.tenant(scope.tenant) as connection:
        packing.erase(connection, scope.id, [300])

    after = editions(harness, scope)
    assert (after[0] == before[0], after[1] == before[1]) == (True, False)


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
