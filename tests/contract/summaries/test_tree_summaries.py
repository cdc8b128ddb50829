"""A model summarises the tree from the bottom up: sessions, clusters, the root; quotes stay until then."""

from slowwave.domain.queries.tree import TreeNode
from slowwave.domain.scope import Scope
from slowwave.memory import Memory, MemoryScope, due_work
from slowwave.wiring import Parts
from tests.contract.harness import Harness, withdraw
from tests.contract.summaries.harness import Model, grow, live, runs, said, say, shown, small, sum_up

__all__ = ["live", "small"]

MATTERS = ["My dog Rex eats fish.", "I flew to Oslo in May.", "I play the cello.", "I bake bread on Sundays."]


def talked(live: Parts, scope: Scope, sessions: int = 4) -> MemoryScope:
    """Push one session per text, and summarise each."""
    for number in range(sessions):
        say(live, scope, f"{MATTERS[number % 4]} Number {number}.", session=f"s{number}")
    alice = MemoryScope(live, scope)
    sum_up(alice)
    return alice


def by_level(alice: MemoryScope) -> dict[int, list[TreeNode]]:
    nodes = alice.tree.nodes(1_000)
    return {level: [node for node in nodes if node.level == level] for level in {node.level for node in nodes}}


def test_nodes_are_summarised_from_the_bottom_and_lead_to_the_turns(live: Parts, small: Model, scope: Scope) -> None:
    alice = talked(live, scope)
    sessions = small.provider.billed.total()
    grow(alice)

    nodes = by_level(alice)
    assert {level: {node.by for node in found} for level, found in nodes.items()} == {
        level: {"model small"} for level in range(3)
    }
    (root,) = nodes[2]
    assert {alice.episode(source.episode).content for source in root.sources} == {
        f"{MATTERS[n]} Number {n}." for n in range(4)
    }
    assert all(line.text[11:].startswith("It is known: ") for line in root.lines)
    asked = [messages[-1]["content"] for messages in small.asked[sessions:]]
    assert len(asked) == len(nodes[1]) + 1
    grow(alice)
    sum_up(alice)
    assert small.provider.billed.total() == sessions + len(asked), "nothing is paid twice"


def test_a_summary_with_a_made_up_name_is_replaced_by_quotations(live: Parts, small: Model, scope: Scope) -> None:
    alice = talked(live, scope, sessions=3)
    small.replies = [said({"text": "The user visited Bergen.", "from": [1]})]
    grow(alice)

    (root,) = by_level(alice)[1]
    assert (root.by, len(root.lines)) == ("extract", 6)
    assert [one.said for one in live.records.rejected("default", most=5)] == [{"text": "The user visited Bergen."}]


def test_a_deleted_summary_leaves_the_tree_summaries_above_it(
    live: Parts, small: Model, scope: Scope, harness: Harness
) -> None:
    alice = talked(live, scope)
    grow(alice)
    (fact,) = [one for one in alice.facts() if (one.predicate, one.session) == ("summary", "s0")]
    withdraw(alice, fact)

    assert harness.value("SELECT count(*) FROM model_summaries WHERE lines::text LIKE '%%Rex%%'") == 0
    assert "Rex" not in " ".join(node.text for node in alice.tree.nodes(1_000))
    asked = len(small.asked)
    Memory(live).drain()
    nodes = by_level(alice)
    assert {node.by for found in nodes.values() for node in found} == {"model small"}
    assert "Rex" not in " ".join(node.text for found in nodes.values() for node in found)
    assert all("Rex" not in text for messages in small.asked[asked:] for _, text in shown(messages))


def test_tree_summaries_wait_for_pending_session_summaries(live: Parts, small: Model, scope: Scope) -> None:
    alice = talked(live, scope)
    grow(alice)
    say(live, scope, "I sold the car to Ann.", session="s9")
    sum_up(alice, ask=False)
    live.schedule.fire_job("grow", "_grow", by="test")
    runs(live)

    assert due_work.count_pending_requests(live, scope.id) == 1
    Memory(live).drain()
    assert {node.by for found in by_level(alice).values() for node in found} == {"model small"}
