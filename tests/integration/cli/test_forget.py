"""`slowwave forget`: it shows what would be erased, a person confirms it, and the receipt is checked."""

import io
from pathlib import Path

import pytest

from slowwave.memory import Memory
from tests.integration.command import ALICE, Run


def said(memory: Memory) -> list[str]:
    """Return what is stored of what Alice said."""
    scope = memory.scope(ALICE.user, agent=ALICE.agent, channel=ALICE.channel)
    return [one.content for one in scope.recent()]


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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "nothing is named"),
        (("--user", "nobody", "--yes"), "nothing is remembered of that"),
        (("--agent", "a"), "--agent needs --user"),
        (("--matching", "x"), "at least 3 characters"),
        (("--verify", "/nowhere"), "is not a receipt"),
    ],
)
def test_an_invalid_forget_request_says_what_is_wrong(
    run: Run, alice: Memory, arguments: tuple[str, ...], said: str
) -> None:
    done = run("forget", *arguments)

    assert done.status != 0
    assert said in done.err, done.err
    assert alice.erasures() == []
