"""`slowwave quotas` shows and changes what a tenant may use; `slowwave push` waits for it, or says where it stopped."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import psycopg
import pytest

from tests.integration.command import Run


def test_quotas_are_set_listed_and_removed(run: Run) -> None:
    assert run("quotas").out == "there are no quotas; `slowwave quotas set` makes one\n"
    assert run("quotas", "set", "episodes-a-minute", "600").out == "at most 600 episodes-a-minute\n"
    assert run("quotas", "set", "episodes-waiting", "20000").status == 0

    assert run("quotas", "--json").json == [
        {"what": "episodes-a-minute", "most": 600, "left": 600},
        {"what": "episodes-waiting", "most": 20_000, "left": 20_000},
    ]
    assert "20,000" in run("quotas").out
    assert run("quotas", "list", "--tenant", "other").out.startswith("there are no quotas")
    assert run("quotas", "remove", "episodes-waiting").out == "episodes-waiting: no limit\n"
    assert run("quotas", "remove", "episodes-waiting").status == 1
    assert "cakes" in run("quotas", "set", "cakes", "1").err


@pytest.fixture
def waits(superuser: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """The waits of the command, during which a minute passes for each quota."""
    found: list[float] = []

    def sleep(seconds: float) -> None:
        found.append(seconds)
        superuser.execute("UPDATE quotas SET seen = seen - interval '1 minute'")

    monkeypatch.setattr("slowwave.cli.push.time", SimpleNamespace(sleep=sleep))
    yield found
    assert all(0 < seconds <= 60 for seconds in found)


def lines(tmp_path: Path, count: int) -> str:
    """Write a file of *count* lines without keys, half of them of another user."""
    said = [
        {"content": f"I like {number:03}", "user": "ann" if number < count / 2 else "bob"} for number in range(count)
    ]
    (tmp_path / "file").write_text("\n".join(json.dumps(one) for one in said))
    return str(tmp_path / "file")


def test_a_push_waits_for_a_quota_and_stores_each_line_once(
    run: Run, superuser: psycopg.Connection, tmp_path: Path, waits: list[float]
) -> None:
    run("quotas", "set", "episodes-a-minute", "5")

    said = run("push", lines(tmp_path, 24))

    assert (said.status, said.out) == (0, "24 stored\n")
    assert said.err.startswith("the quota of episodes-a-minute is used up: 5 for this tenant; wait ")
    assert waits
    stored = superuser.execute("SELECT count(*), count(DISTINCT content) FROM episodes").fetchone()
    assert stored == (24, 24)


@pytest.mark.usefixtures("parts")
@pytest.mark.parametrize(("quota", "most", "patience"), [("bytes-a-day", 25, 600), ("episodes-waiting", 2, 0)])
def test_a_push_that_would_wait_too_long_says_where_it_stopped(
    quota: str, most: int, patience: int, run: Run, superuser: psycopg.Connection, tmp_path: Path,
    waits: list[float], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr("slowwave.cli.push.PATIENCE_SECONDS", patience)
    run("quotas", "set", quota, str(most))

    said = run("push", lines(tmp_path, 4))
    again = run("push", lines(tmp_path, 4), "--json")

    assert (said.status, said.out) == (1, "2 stored\nstopped at line 3: push this and all later ones again\n")
    assert f"the quota of {quota} is used up" in said.err
    assert (again.status, again.out) == (1, "")
    assert waits == []
    stored = superuser.execute("SELECT DISTINCT content FROM episodes ORDER BY content").fetchall()
    assert stored == [("I like 000",), ("I like 001",)]
