"""`slowwave review`: a person sees what nobody could decide, and decides it."""

from slowwave.memory import Memory
from tests.integration.command import Run


def waiting(run: Run) -> list[dict[str, object]]:
    found = run("review", "--json").json
    assert isinstance(found, list)
    return found


def test_what_waits_is_listed_with_what_was_said(run: Run, alice: Memory) -> None:
    said = run("review")

    assert (said.status, said.err) == (0, "")
    assert "No, I meant chess." in said.out
    assert "could mean any of 2" in said.out
    assert "*" not in said.out


def test_who_accepts_what_could_mean_several_is_asked_which(run: Run, alice: Memory) -> None:
    (one,) = waiting(run)
    among = one["among"]
    assert isinstance(among, list)

    refused = run("review", "accept", str(one["number"]), "--by", "Ann")
    done = run("review", "accept", str(one["number"]), "--by", "Ann", "--replaces", str(among[0]))

    assert refused.status == 1
    assert f"could mean any of {among[0]}, {among[1]}" in refused.err
    assert done.status == 0
    assert "accepted by Ann" in run("deltas", "--json").out
    assert run("review").out == "nothing waits for a person\n"


def test_who_rejects_leaves_what_is_held(run: Run, alice: Memory) -> None:
    before = run("facts", "--user", "alice", "--json").json
    (one,) = waiting(run)

    said = run("review", "reject", str(one["number"]), "--by", "Ann")

    assert said.status == 0
    assert run("facts", "--user", "alice", "--json").json == before
    assert run("review", "reject", str(one["number"])).status == 1


def test_who_edits_says_what_is_right(run: Run, alice: Memory) -> None:
    (one,) = waiting(run)
    among = one["among"]
    assert isinstance(among, list)

    run("review", "edit", str(one["number"]), "checkers", "--by", "Ann", "--replaces", str(among[0]))

    assert "checkers" in run("facts", "--user", "alice").out


def test_who_names_what_is_believed_already_has_the_other_give_way(run: Run, alice: Memory) -> None:
    (asked,) = waiting(run)
    among = asked["among"]
    assert isinstance(among, list)
    held = {one["fact"]["id"]: one["fact"]["object"] for one in run("facts", "--user", "alice", "--json").json}

    done = run(
        "review", "edit", str(asked["number"]), held[among[1]], "--by", "Ann", "--replaces", str(among[0])
    )  # fmt: skip

    assert (done.status, done.err) == (0, "")
    left = {one["fact"]["id"] for one in run("facts", "--user", "alice", "--json").json}
    assert held.keys() - left == {among[0]}
    assert waiting(run) == []
