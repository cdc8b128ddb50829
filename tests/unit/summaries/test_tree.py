"""The summary tree is a function of its leaves: one root, a third of the nodes per level, stable ids."""

import random
import uuid
from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from slowwave.core.summaries.tree import Leaf, Node, clusters, grow

SCOPE = uuid.UUID(int=7)


def leaf(number: int, *, told: int = 0, topics: int = 8) -> Leaf:
    """Return the summary of a session about one of some topics; *told* counts its versions."""
    topic = np.random.default_rng(number % topics).normal(size=32)
    noise = np.random.default_rng(1_000 + number).normal(size=32) * 0.4
    vector = (topic + noise).astype(np.float32)
    id_ = uuid.uuid5(SCOPE, f"{number}/{told}")
    return Leaf(id_, f"session/{number}", vector / np.linalg.norm(vector))


def leaves(many: int) -> list[Leaf]:
    return [leaf(number) for number in range(many)]


def under(nodes: list[Node]) -> dict[uuid.UUID, frozenset[uuid.UUID]]:
    """Return the leaves under every node."""
    found: dict[uuid.UUID, frozenset[uuid.UUID]] = {}
    for node in nodes:
        beneath = [found[child] for child in node.children]
        found[node.id] = frozenset[uuid.UUID]().union(*beneath) if beneath else frozenset([node.id])
    return found


@given(st.integers(0, 60))
@settings(deadline=None)
def test_each_level_has_a_third_of_the_nodes_below_up_to_one_root(many: int) -> None:
    nodes = grow(SCOPE, leaves(many), seed="a")
    sizes = Counter(node.level for node in nodes)
    known = {node.id: node for node in nodes}

    assert (sizes[0], len(known)) == (many, len(nodes))
    for level in range(1, len(sizes)):
        assert sizes[level] == -(-sizes[level - 1] // 3)
    assert [node.id for node in nodes if node.parent is None] == [node.id for node in nodes[-1:]]
    for node in nodes:
        for child in node.children:
            assert (known[child].parent, known[child].level) == (node.id, node.level - 1)
    children = [child for node in nodes for child in node.children]
    assert sorted(children) == sorted(node.id for node in nodes[:-1])


@given(st.integers(1, 40), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_tree_does_not_depend_on_the_order_of_leaves(many: int, chance: random.Random) -> None:
    some = leaves(many)
    chance.shuffle(some)

    assert grow(SCOPE, some, seed="a") == grow(SCOPE, leaves(many), seed="a")


@given(st.integers(2, 60), st.integers(0, 59))
@settings(deadline=None)
def test_a_new_summary_with_the_same_vector_changes_only_its_ancestors(many: int, number: int) -> None:
    some, changed = leaves(many), leaf(number % many, told=1)
    before = grow(SCOPE, some, seed="a")
    some[number % many] = changed
    after = grow(SCOPE, some, seed="a")

    old, new = under(before), under(after)
    assert {node for node in new if changed.id in new[node]} == new.keys() - old.keys()
    assert {node for node in old if leaf(number % many).id in old[node]} == old.keys() - new.keys()


def test_the_seed_changes_the_ids_of_all_nodes_above_the_leaves() -> None:
    one, other = ({node.id for node in grow(SCOPE, leaves(9), seed=seed)} for seed in "ab")

    assert one & other == {each.id for each in leaves(9)}


@given(st.integers(1, 30), st.data())
def test_clusters_of_identical_points_are_not_empty(many: int, data: st.DataObject) -> None:
    wanted = data.draw(st.integers(1, many))
    for points in (np.zeros((many, 4), np.float32), np.ones((many, 4), np.float32)):
        found = clusters(points, wanted)
        assert (len(found), all(found)) == (wanted, True)
        assert sorted(number for one in found for number in one) == list(range(many))
