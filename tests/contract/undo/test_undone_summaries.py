"""The undo of a summary takes its words out of the session's model summary and out of the tree; both are made anew."""

from collections.abc import Sequence

import pytest

from slowwave import wiring
from slowwave.domain.job_table import RETELL, SUMMARISE
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect
from slowwave.memory import Memory, MemoryScope
from slowwave.settings import Settings
from tests.contract.harness import Harness
from tests.contract.summaries.harness import Model, grow, live, runs, said, say, shown, small, sum_up, telling
from tests.contract.summaries.test_tree import findings, told

__all__ = ["live", "small"]

UNDONE = "I adore zorbing on Sundays."


def second_evening(parts: wiring.Parts, scope: Scope, harness: Harness) -> tuple[MemoryScope, int]:
    """Summarise four sessions, then a later turn of one of them, and grow the tree; return the run of this turn."""
    for number in range(4):
        alice = say(parts, scope, f"I like figs {number}.", f"I live in Oslo {number}.", session=f"s{number}")
    sum_up(alice)
    say(parts, scope, UNDONE, session="s1", start=2)
    sum_up(alice)
    grow(alice)
    return alice, harness.value("SELECT max(run) FROM runs WHERE scope = %s AND job = %s", scope.id, SUMMARISE)


def texts(alice: MemoryScope) -> list[str]:
    """Return the texts of all nodes, and of what a search finds."""
    every = [*alice.tree.nodes(), *alice.tree.search(UNDONE, 20)]
    assert {node.level for node in every} == {0, 1, 2}
    return [node.text for node in every]


@pytest.mark.parametrize("grown", [True, False])
def test_the_tree_without_an_undone_summary_equals_the_earlier_tree(
    parts: wiring.Parts, scope: Scope, harness: Harness, grown: bool
) -> None:
    alice, run = second_evening(parts, scope, harness)
    memory, before = Memory(parts), told(alice)
    assert "zorbing" in str(before)
    if not grown:
        alice.push("I also like plums.", session="s3", key="last")
        sum_up(alice)

    done = memory.undo(run)

    assert "zorbing" not in str(texts(alice))
    assert len([node for node in alice.tree.nodes() if not node.level]) == 4
    assert findings(alice) == []
    memory.undo(done.id)
    assert (told(alice) == before) == grown
    assert "zorbing" in str(told(alice))
    assert findings(alice) == []


def test_a_model_rephrases_the_earlier_summary_after_an_undo(
    live: wiring.Parts, small: Model, scope: Scope, harness: Harness
) -> None:
    alice, run = second_evening(live, scope, harness)
    memory, before, asked = Memory(live), told(alice), len(small.asked)
    assert "zorbing" in alice.summary("s1").text

    done = memory.undo(run)

    assert "zorbing" not in alice.summary("s1").text
    assert "zorbing" not in str(texts(alice))
    memory.drain()
    now = alice.summary("s1")
    assert (now.by, [line.text[11:] for line in now.lines]) == (
        "model small", ["It is known: user: I like figs 1.", "It is known: user: I live in Oslo 1."],
    )  # fmt: skip
    assert {node.by for node in alice.tree.nodes()} == {"model small"}
    assert "zorbing" not in str([texts(alice), asked_since(small, asked)])

    memory.undo(done.id)
    assert "zorbing" in alice.summary("s1").text
    memory.drain()
    assert told(alice) == before


def test_the_next_summary_is_without_the_undone_words(
    live: wiring.Parts, small: Model, scope: Scope, harness: Harness
) -> None:
    alice = say(live, scope, "I like figs.")
    sum_up(alice)
    since = harness.value("SELECT slowwave_now()")
    sum_up(say(live, scope, UNDONE, start=1))
    Memory(live).undo(since=since)
    asked = len(small.asked)

    sum_up(say(live, scope, "I have a dog.", start=2))

    assert [line.text[11:] for line in alice.summary("s1").lines] == [
        "It is known: user: I like figs.", "It is known: user: I have a dog.",
    ]  # fmt: skip
    assert "zorbing" not in str(asked_since(small, asked))


def test_another_model_rephrases_what_the_former_was_to_rephrase(
    live: wiring.Parts, small: Model, scope: Scope, harness: Harness, settings: Settings, heavy_parts: dict[str, object]
) -> None:
    alice, run = second_evening(live, scope, harness)
    Memory(live).undo(run)
    assert [report.counts["asked"] for report in runs(live) if report.job == RETELL] == [1]

    with telling(settings, heavy_parts, small, model="other") as parts:
        sum_up(say(parts, scope, "I like plums.", session="s4"))

    assert alice.summary("s1").by == "model other"
    assert "zorbing" not in alice.summary("s1").text


def asked_since(small: Model, asked: int) -> list[Sequence[tuple[str, str]]]:
    return [shown(messages) for messages in small.asked[asked:]]


def test_a_refused_undo_names_the_fact_whose_words_a_model_wrote(
    live: wiring.Parts, small: Model, scope: Scope, harness: Harness
) -> None:
    small.replies = [said({"text": "It is known: nobody was ever happier.", "from": [1]})]
    alice = say(live, scope, "I feel very sad these days.")
    sum_up(alice)
    told = "SELECT max(run) FROM runs WHERE scope = %s AND job = %s AND counts ? 'told'"
    first = harness.value(told, scope.id, RETELL)
    sum_up(say(live, scope, "I like figs.", session="s2"))
    second, memory = harness.value(told, scope.id, RETELL), Memory(live)
    wrong, other = alice.summary("s1").fact, alice.summary("s2").fact

    for what, facts in ((first, f"{wrong}"), (second, f"{other}"), ("_retell@1", f"{other}, {wrong}")):
        with pytest.raises(Incorrect, match="changed no belief") as refused:
            memory.undo(what)
        assert refused.value.hint == f"a model wrote summaries: `slowwave correct` with a fact removes one: {facts}"

    assert wrong is not None
    alice.correct(wrong)
    memory.drain()
    assert alice.summary("s1").text == ""
    with pytest.raises(Incorrect) as refused:
        memory.undo(first)
    assert str(wrong) not in str(refused.value)
