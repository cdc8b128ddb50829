"""Reploid, the RAPTOR tree: similar summaries are summarised together up to one root, and all levels answer."""

import math
import uuid
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import timedelta

import numpy as np
import pytest

from slowwave import wiring
from slowwave.core.summaries.tree import Leaf, clusters, grow
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import GROW, SUMMARISE, pack_of
from slowwave.domain.queries.tree import TreeNode
from slowwave.domain.scope import Scope
from slowwave.memory import Memory, MemoryScope
from slowwave.memory.verb_group import parts_of
from tests.conftest import NOON

MATTERS = ["My dog Rex ate {} fish.", "I flew to Oslo on flight {}.", "I played cello suite {}.", "I baked {} loaves."]
SESSIONS = 13


@pytest.fixture
def lived(parts: wiring.Parts, scope: Scope) -> MemoryScope:
    """Thirteen sessions about four topics, and the night after them."""
    alice = MemoryScope(parts, scope)
    say(alice, range(SESSIONS))
    night(alice)
    return alice


def say(alice: MemoryScope, sessions: Sequence[int]) -> None:
    alice.push_many(
        Episode(content=MATTERS[n % 4].format(n), session=f"s{n}", occurred_at=NOON + timedelta(days=n))
        for n in sessions
    )


def night(alice: MemoryScope) -> None:
    parts = parts_of(alice)
    Memory(parts).drain()
    parts.schedule.fire_manually(by="test", scopes=[alice.scope.id], pack=pack_of(SUMMARISE))
    Memory(parts).drain()
    parts.schedule.fire_job(GROW, pack_of(GROW), by="test")
    assert [(report.job, report.outcome) for report in Memory(parts).drain()] == [(GROW, "ok")]


def vectors(alice: MemoryScope, nodes: Sequence[TreeNode]) -> list[np.ndarray]:
    """Return the vector of each node: its text without days, as it is embedded."""
    texts = ["\n".join(line.text.split(" ", 1)[1] for line in node.lines) for node in nodes]
    return list(parts_of(alice).embedder.embed(texts))


@pytest.mark.requirement("S1.8", "S1.14", "S1.35", "S1.53")
def test_the_stored_tree_leads_from_the_root_over_clusters_and_sessions_to_the_turns(lived: MemoryScope) -> None:
    """Several levels of summaries: everything, clusters, sessions, turns."""
    (root,) = (node for node in lived.tree.nodes() if node.parent is None)
    assert root.level == 3
    at, path = root, [root.level]
    while at.level:
        at = lived.tree.nodes(under=str(at.id)[:8])[0]
        path.append(at.level)
    assert path == [3, 2, 1, 0]
    assert at.session is not None
    assert [turn.content for turn in lived.conversation(at.session)] == [at.text.split(": ", 1)[1]]

    for node in lived.tree.nodes():
        said = {lived.episode(source.episode).content for source in node.sources}
        assert {line.text.split(": ", 1)[1] for line in node.lines} == said

    later = wiring.connect(parts_of(lived).settings)  # another process reads the stored tree and builds none
    assert MemoryScope(later, lived.scope).tree.nodes() == lived.tree.nodes()
    later.close()


@pytest.mark.requirement("S1.30", "S1.31", "S1.32")
def test_each_session_is_a_leaf_and_each_level_has_a_third_of_the_one_below(lived: MemoryScope) -> None:
    nodes = lived.tree.nodes()
    sizes = Counter(node.level for node in nodes)

    assert sizes[0] == SESSIONS
    assert {node.session for node in nodes if not node.level} == {f"s{n}" for n in range(SESSIONS)}
    assert not any(lived.tree.nodes(under=node.id) for node in nodes if not node.level)
    levels = sorted(sizes)
    assert [sizes[level] for level in levels[1:]] == [math.ceil(sizes[level] / 3) for level in levels[:-1]]
    assert sizes[levels[-1]] == 1
    scored = {node.id for node in lived.tree.search("dog", 1_000)}
    assert scored == {node.id for node in nodes}, "each has what it means"


@pytest.mark.requirement("S1.32")
def test_clusters_are_those_of_k_means() -> None:
    points = np.random.default_rng(5).normal(size=(60, 16)).astype(np.float32)
    points /= np.linalg.norm(points, axis=1, keepdims=True)

    found = clusters(points, math.ceil(60 / 3))
    centres = np.stack([points[members].mean(axis=0) for members in found])
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    nearest = (points @ centres.T).argmax(axis=1)
    strayed = [point for number, members in enumerate(found) for point in members if nearest[point] != number]
    assert len(strayed) <= 3, "of sixty, those whom k-means moves in its last rounds"


@pytest.mark.requirement("S1.34")
def test_a_question_is_compared_with_all_levels_and_the_nearest_five_answer(lived: MemoryScope) -> None:
    question = "What did my dog Rex eat?"
    (asked,) = parts_of(lived).embedder.embed([question])
    found = lived.tree.search(question)

    assert len(found) == 5
    assert [node.score for node in found] == sorted((node.score or 0 for node in found), reverse=True)
    for node, vector in zip(found, vectors(lived, found), strict=True):
        assert node.score == pytest.approx(float(asked @ vector), abs=1e-3)
    everything = lived.tree.search(question, 1_000)
    assert [node.id for node in everything[:5]] == [node.id for node in found]
    assert {node.level for node in everything} == {0, 1, 2, 3}
    assert {node.session for node in everything if not node.level} == {f"s{n}" for n in range(SESSIONS)}


@pytest.mark.requirement("S1.36")
def test_a_new_session_changes_only_a_part_of_the_tree(lived: MemoryScope) -> None:
    before = {node.id for node in lived.tree.nodes()}
    say(lived, [SESSIONS])
    night(lived)
    after = lived.tree.nodes()

    (new,) = (node for node in after if node.session == f"s{SESSIONS}")
    assert f"flight {SESSIONS}" in new.text
    assert len({node.id for node in after if node.level} & before) >= 2
    points = np.eye(200, dtype=np.float32)
    leaves = [Leaf(uuid.uuid5(lived.scope.id, str(n)), f"s{n}", point) for n, point in enumerate(points)]
    some, more = grow(lived.scope.id, leaves[:-1], seed=""), grow(lived.scope.id, leaves, seed="")
    assert len({node.id for node in more} - {node.id for node in some}) < len(more) / 2


@pytest.mark.requirement("S1.42")
def test_a_tree_search_returns_the_current_nodes(lived: MemoryScope) -> None:
    found = lived.tree.search("Where did I fly?", limit=5)
    nodes = {node.id: node for node in lived.tree.nodes()}
    by_level = defaultdict(list)
    for node in found:
        assert node.text == nodes[node.id].text
        by_level[node.level].append(node)
    assert 0 in by_level

    for session in {node.session for node in by_level[0] if node.session}:
        lived.archive(session)
    Memory(parts_of(lived)).drain()
    later = lived.tree.search("Where did I fly?", limit=5)
    assert not {node.id for node in by_level[0]} & {node.id for node in later}
