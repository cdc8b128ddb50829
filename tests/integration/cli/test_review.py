"""`slowwave review`: a person sees what nobody could decide, and decides it."""

from collections.abc import Callable

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.memory import Memory, due_work
from tests.integration.command import ALICE, Run


def waiting(run: Run) -> list[dict[str, object]]:
    found = run("review", "--json").json
    assert isinstance(found, list)
    return found


def test_review_lists_pending_decisions_with_their_words(run: Run, alice: Memory) -> None:
    said = run("review")

    assert (said.status, said.err) == (0, "")
    assert "No, I meant chess." in said.out
    assert "could mean any of 2" in said.out
    (one,) = waiting(run)
    beliefs = one["beliefs"]
    assert isinstance(beliefs, list)
    assert len(beliefs) == 2
    assert all(belief in said.out for belief in beliefs)
    assert "*" not in said.out


def test_accepting_an_ambiguous_review_requires_replaces(run: Run, alice: Memory) -> None:
    (one,) = waiting(run)
    among = one["among"]
    assert isinstance(among, list)

    refused = run("review", "accept", str(one["number"]), "--by", "Ann")
    done = run("review", "accept", str(one["number"]), "--by", "Ann", "--replaces", str(among[0])[:8])

    assert refused.status == 1
    beliefs = one["beliefs"]
    assert isinstance(beliefs, list)
    assert f"could mean any of {among[0]} ({beliefs[0]}), {among[1]} ({beliefs[1]})" in refused.err
    assert done.status == 0
    assert "accepted by Ann" in run("deltas", "--json").out
    assert run("review").out == "no claim waits for a decision\n"


def test_rejecting_a_review_keeps_the_facts(run: Run, alice: Memory) -> None:
    before = run("facts", "--user", "alice", "--json").json
    (one,) = waiting(run)

    said = run("review", "reject", str(one["number"]), "--by", "Ann")

    assert said.status == 0
    assert run("facts", "--user", "alice", "--json").json == before
    assert run("review", "reject", str(one["number"])).status == 1


def test_editing_a_review_stores_the_given_value(run: Run, alice: Memory) -> None:
    (one,) = waiting(run)
    among = one["among"]
    assert isinstance(among, list)

    run("review", "edit", str(one["number"]), "checkers", "--by", "Ann", "--replaces", str(among[0]))

    assert "checkers" in run("facts", "--user", "alice").out


def test_accepting_an_already_believed_value_ends_the_replaced_fact(
    run: Run, parts: wiring.Parts, told: Callable[..., list[Episode]]
) -> None:
    said = ["I'm allergic to walnuts and kiwi.", "No, I meant cashews.", "I'm allergic to cashews."]
    parts.push(ALICE, told(*said))
    due_work.fire(parts)
    Memory(parts).drain()
    (asked,) = waiting(run)
    before = allergies(run)
    assert before.keys() == {"walnuts", "kiwi", "cashews"}

    done = run("review", "accept", str(asked["number"]), "--by", "Ann", "--replaces", before["kiwi"])

    assert (done.status, done.err) == (0, "")
    assert allergies(run) == {object: fact for object, fact in before.items() if object != "kiwi"}
    assert waiting(run) == []


def allergies(run: Run) -> dict[str, str]:
    """Return the ids of what Alice is allergic to, by its name."""
    held = [one["fact"] for one in run("facts", "--user", "alice", "--json").json]
    return {fact["object"]: fact["id"] for fact in held if fact["predicate"] == "allergic_to"}
