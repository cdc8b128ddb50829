"""Undo, correct, forget and review on the command line."""

import io
from pathlib import Path
from typing import Any

import pytest

from slowwave.memory import Memory
from slowwave.wiring import Parts
from tests.integration.command import ALICE, WHOSE, Run, of_alice
from tests.integration.steps import Told, homes, learn, work_off
from tests.unit.tables import table

ROWS = table(__file__)


def run_of(memory: Memory) -> int:
    """Return the run that learned Alice's home."""
    (run,) = {delta.run for delta in memory.deltas() if "lives in Oslo" in delta.text}
    assert run is not None
    return run


def test_a_run_is_previewed_undone_and_restored(run: Run, alice: Memory) -> None:
    number = run_of(alice)

    seen = run("undo", str(number), "--preview")
    assert (seen.status, seen.err) == (0, "")
    assert "would be no longer believed: The user lives in Oslo (since 2026-03-02; alice/concierge/home)" in seen.out
    assert seen.out.endswith("nothing is written: leave out --preview to write this\n")
    assert homes(of_alice(alice)) == ["Oslo"]

    done = run("undo", str(number), "--by", "Ann", "--reason", "a joke", "--json").json
    assert (done["what"], done["by"], done["reason"], done["preview"]) == (f"run {number}", "Ann", "a joke", False)
    assert homes(of_alice(alice)) == []
    assert f"run {number} was undone by Ann: a joke" in run("why", done["withdrawn"][0]["fact"]).out
    assert "taken back" not in run("undo", "--list").out

    back = run("undo", done["id"])
    assert f"the undo of run {number} is undone" in back.out
    assert homes(of_alice(alice)) == ["Oslo"]
    assert "taken back" in run("undo", "--list").out
    assert "undo _undo" in run("runs").out


def test_undo_since_with_a_user_affects_only_that_user(run: Run, alice: Memory) -> None:
    bob = learn(alice.scope("bob", agent="concierge", channel="home"), "I live in Rome.")

    done = run("undo", "--since", "2026-03-02", *WHOSE)

    assert done.status == 0
    assert homes(of_alice(alice)) == []
    assert [fact.object for fact in bob.facts()] == ["Rome"]


def test_a_wrong_fact_is_corrected_by_a_prefix_of_its_id(run: Run, alice: Memory) -> None:
    (home,) = (fact for fact in of_alice(alice).facts() if fact.predicate == "lives_in")

    done = run("correct", str(home.id)[:8], "Bergen", "--by", "Ann")

    assert (done.status, done.err) == (0, "")
    assert "no longer believed: The user lives in Oslo" in done.out
    assert "believed instead: " in done.out
    assert homes(of_alice(alice)) == ["Bergen"]
    assert "The user lives in Lisbon" in run("facts", "--user", "alice", "--as-of", "2026-03-02T12:00:30").out


def test_an_impossible_undo_says_why_and_what_to_do(run: Run, alice: Memory) -> None:
    for arguments, said in (
        (("undo",), "what: is missing"),
        (("undo", "everyday"), "PACK@VERSION"),
        (("undo", "99999"), "there is no run 99999 here"),
        (("correct", "00000000"), "no fact"),
    ):
        refused = run(*arguments)
        assert refused.status == 1
        assert said in refused.err
        assert "hint: " in refused.err
    assert run("undo", "--agent", "a").status == 2
    assert run("undo", "--list").out == "there are no undos\n"
    assert "leave out WHAT and --since" in run("undo", "1", "--list").err


def said(memory: Memory) -> list[str]:
    """Return the stored episodes of Alice."""
    return [one.content for one in of_alice(memory).recent()]


def test_forget_erases_a_user_after_preview_and_confirmation(run: Run, alice: Memory, tmp_path: Path) -> None:
    before = said(alice)

    seen = run("forget", "--user", ALICE.user, "--preview")
    assert (seen.status, seen.err) == (0, "")
    assert "fact: The user lives in Oslo" in seen.out
    assert said(alice) == before

    done = run("forget", "--user", ALICE.user, "--yes", "--later", "--json")
    assert said(alice) == []
    assert done.json["erased"]
    assert done.json["rewritten"] is None
    assert ALICE.user not in done.out
    assert "run `slowwave forget --rewrite`" in done.out

    receipt = tmp_path / "receipt.json"
    receipt.write_text(done.out)
    assert run("forget", "--verify", str(receipt)).out == "this receipt is genuine and unchanged\n"
    receipt.write_text(done.out.replace('"scopes": ', '"scopes": 1'))
    assert run("forget", "--verify", str(receipt)).status == 1
    assert "not yet" not in run("forget", "--list").out
    assert done.json["id"][:8] in run("forget", "--list").out


def test_forget_does_nothing_without_confirmation(run: Run, alice: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    before = said(alice)
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))

    asked = run("forget", "--user", ALICE.user)

    assert asked.status == 130
    assert said(alice) == before


@pytest.mark.parametrize(("arguments", "said"), ROWS["invalid_forget"])
def test_an_invalid_forget_request_says_what_is_wrong(
    run: Run, alice: Memory, arguments: tuple[str, ...], said: str
) -> None:
    done = run("forget", *arguments)

    assert done.status != 0
    assert said in done.err, done.err
    assert alice.erasures() == []


def waiting(run: Run) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = run("review", "--json").json
    return found


def test_review_lists_pending_decisions_with_their_words(run: Run, alice: Memory) -> None:
    said = run("review")

    assert (said.status, said.err) == (0, "")
    assert "No, I meant chess." in said.out
    assert "could mean any of 2" in said.out
    (one,) = waiting(run)
    assert len(one["beliefs"]) == 2
    assert all(belief in said.out for belief in one["beliefs"])
    assert "*" not in said.out


def test_accepting_an_ambiguous_review_requires_replaces(run: Run, alice: Memory) -> None:
    (one,) = waiting(run)
    among, beliefs = one["among"], one["beliefs"]

    refused = run("review", "accept", str(one["number"]), "--by", "Ann")
    done = run("review", "accept", str(one["number"]), "--by", "Ann", "--replaces", among[0][:8])

    assert refused.status == 1
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

    run("review", "edit", str(one["number"]), "checkers", "--by", "Ann", "--replaces", one["among"][0])

    assert "checkers" in run("facts", "--user", "alice").out


def test_accepting_an_already_believed_value_ends_the_replaced_fact(run: Run, parts: Parts, told: Told) -> None:
    work_off(
        parts, ALICE, told("I'm allergic to walnuts and kiwi.", "No, I meant cashews.", "I'm allergic to cashews.")
    )
    (asked,) = waiting(run)
    before = allergies(run)
    assert before.keys() == {"walnuts", "kiwi", "cashews"}

    done = run("review", "accept", str(asked["number"]), "--by", "Ann", "--replaces", before["kiwi"])

    assert (done.status, done.err) == (0, "")
    assert allergies(run) == {object: fact for object, fact in before.items() if object != "kiwi"}
    assert waiting(run) == []


def allergies(run: Run) -> dict[str, str]:
    """Return the ids of Alice's allergies, by name."""
    held = [one["fact"] for one in run("facts", "--user", "alice", "--json").json]
    return {fact["object"]: fact["id"] for fact in held if fact["predicate"] == "allergic_to"}
