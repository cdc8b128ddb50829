"""The outbox keeps its entries in order until Postgres or the broker has them."""

import multiprocessing
import os
import signal
import sqlite3
import stat
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect, Unavailable
from slowwave.outbox import Outbox

ALICE, BOB = Scope("default", "alice", "concierge"), Scope("default", "bob", "concierge")


def told(*contents: str) -> list[Episode]:
    """Return episodes whose keys are the first words of their contents."""
    return [Episode(content=content, key=content[:30].strip()) for content in contents]


def contents(outbox: Outbox) -> list[str]:
    """Return the waiting episodes, in order."""
    return [entry.episode["content"] for entry in outbox.first(10_000)]


@pytest.fixture(autouse=True)
def _every_outbox_is_closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Close all outboxes of a test: since Python 3.13, SQLite warns of connections that are not closed."""
    made: list[Outbox] = []
    start = Outbox.__init__

    def note(outbox: Outbox, *arguments: Any, **options: Any) -> None:
        start(outbox, *arguments, **options)
        made.append(outbox)

    monkeypatch.setattr(Outbox, "__init__", note)
    yield
    for outbox in made:
        outbox.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "outbox.db"


@pytest.fixture
def outbox(path: Path) -> Outbox:
    return Outbox(path)


def test_a_reopened_outbox_contains_the_stored_episodes(path: Path) -> None:
    first = Outbox(path)
    first.add(ALICE, told("one", "two"))
    first.add(BOB, told("three"))
    first.close()

    second = Outbox(path)

    assert [(entry.scope, Episode.read(entry.episode)) for entry in second.first(10)] == [
        (ALICE, *told("one")),
        (ALICE, *told("two")),
        (BOB, *told("three")),
    ]
    assert second.client == first.client


def test_a_repeated_key_is_known_and_other_content_is_a_conflict(outbox: Outbox) -> None:
    assert outbox.add(ALICE, told("one", "one")) == ["new", "known"]
    assert outbox.add(ALICE, [Episode(content="other", key="one")]) == ["conflict"]
    assert outbox.add(BOB, [Episode(content="other", key="one")]) == ["new"]
    assert outbox.waiting() == 2


def test_only_the_owner_may_read_the_outbox(path: Path) -> None:
    path.touch(mode=0o644)
    outbox = Outbox(path)
    outbox.add(ALICE, told("one"))

    assert {stat.S_IMODE(file.stat().st_mode) for file in path.parent.glob("outbox.db*")} == {0o600}


def test_a_symbolic_link_is_refused(path: Path, tmp_path: Path) -> None:
    (tmp_path / "victim").touch(mode=0o644)
    path.symlink_to(tmp_path / "victim")

    with pytest.raises(Incorrect, match="not a file of this user"):
        Outbox(path)
    assert stat.S_IMODE((tmp_path / "victim").stat().st_mode) == 0o644


def test_a_foreign_file_is_refused_and_not_changed(path: Path) -> None:
    path.write_text("somebody's diary " * 100)

    with pytest.raises(Incorrect, match="not an outbox"):
        Outbox(path)
    assert path.read_text().startswith("somebody's diary")


def test_a_full_outbox_refuses_more_and_accepts_again_when_there_is_room(path: Path) -> None:
    outbox = Outbox(path, most_bytes=300_000)

    def fill() -> None:
        for number in range(1000):
            outbox.add(ALICE, told(f"{number} " + "x" * 10_000))

    with pytest.raises(Unavailable, match="is full: it takes 300000 bytes") as refusal:
        fill()

    kept = len(contents(outbox))
    assert 10 < kept < 30
    assert "SLOWWAVE_OUTBOX_BYTES" in str(refusal.value)
    assert outbox.waiting() == kept
    assert path.stat().st_size < 400_000

    outbox.remove([entry.number for entry in outbox.first(2)])
    assert outbox.add(ALICE, told("y" * 10_000)) == ["new"]


def test_a_batch_that_does_not_fit_is_refused_whole(path: Path) -> None:
    outbox = Outbox(path, most_bytes=200_000)

    with pytest.raises(Unavailable):
        outbox.add(ALICE, told(*(f"{number} " + "x" * 10_000 for number in range(100))))
    assert not outbox.holds()


def test_a_refused_episode_is_stored_with_its_reason_and_its_key_is_free(outbox: Outbox) -> None:
    outbox.add(ALICE, told("one", "two"))

    outbox.refuse(outbox.first(1)[0].number, "taken")

    assert contents(outbox) == ["two"]
    assert [(entry.episode["content"], entry.reason) for entry in outbox.refused()] == [("one", "taken")]
    assert outbox.add(ALICE, told("one")) == ["new"]
    outbox.remove([entry.number for entry in outbox.refused()])
    assert outbox.refused() == []


def test_an_unconfirmed_episode_is_resent_with_growing_pauses(outbox: Outbox) -> None:
    outbox.add(ALICE, told("one"))
    number = outbox.first(1)[0].number

    due = []
    for at in range(0, 2000, 10):
        if outbox.send_again(at, 30) or at == 0:
            due.append(at)
            outbox.mark_sent([number], at)
    assert due == [0, 30, 90, 210, 450, 930, 1890]

    outbox.mark_sent([number], 9_000)
    assert outbox.send_again(1_000, 30) == 1, "the clock went back"


def test_settle_removes_confirmed_episodes_and_keeps_refused_ones(outbox: Outbox) -> None:
    outbox.add(ALICE, told("one", "two", "three"))

    outbox.settle([(ALICE.episode_id("one"), None), (ALICE.episode_id("three"), "taken")])

    assert contents(outbox) == ["two"]
    assert [entry.reason for entry in outbox.refused()] == ["taken"]


def test_removed_content_is_not_readable_in_the_files(outbox: Outbox, path: Path) -> None:
    outbox.add(ALICE, told("canary in a coal mine"))
    outbox.remove([outbox.first(1)[0].number])

    assert not any(b"canary" in file.read_bytes() for file in path.parent.iterdir())


def test_episodes_of_many_threads_are_stored_once_and_in_order(outbox: Outbox) -> None:
    start = threading.Barrier(8)

    def tell(teller: int) -> None:
        start.wait()
        for number in range(20):
            outbox.add(ALICE, told(f"{teller}/{number}", f"all/{number}"))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(tell, range(8)))

    found = contents(outbox)
    assert len(found) == len(set(found)) == 8 * 20 + 20
    for teller in range(8):
        assert [said for said in found if said.startswith(f"{teller}/")] == [f"{teller}/{n}" for n in range(20)]


def _tell(path: Path, teller: int, start: "threading.Event") -> None:
    start.wait()
    outbox = Outbox(path)
    for number in range(10):
        outbox.add(ALICE, told(f"{teller}/{number}"))


def test_several_processes_create_and_use_an_outbox_at_once(path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    start = context.Event()
    tellers = [context.Process(target=_tell, args=(path, teller, start)) for teller in range(3)]
    for teller in tellers:
        teller.start()
    start.set()
    for teller in tellers:
        teller.join()

    assert [teller.exitcode for teller in tellers] == [0, 0, 0]
    assert sorted(contents(Outbox(path))) == sorted(f"{t}/{n}" for t in range(3) for n in range(10))


def _tell_and_die(path: Path) -> None:
    Outbox(path).add(ALICE, told("the last words"))
    os.kill(os.getpid(), signal.SIGKILL)


def test_stored_episodes_survive_kill_9(path: Path) -> None:
    teller = multiprocessing.get_context("spawn").Process(target=_tell_and_die, args=(path,))
    teller.start()
    teller.join()

    assert teller.exitcode == -signal.SIGKILL
    assert contents(Outbox(path)) == ["the last words"]


def test_each_commit_is_synchronous(outbox: Outbox) -> None:
    with outbox._reading() as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_locked_outbox_is_unavailable(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("slowwave.outbox.BUSY_SECONDS", 0.01)
    outbox = Outbox(path)
    with sqlite3.connect(path, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Unavailable, match="locked"):
            outbox.add(ALICE, told("one"))
        other.execute("ROLLBACK")
    other.close()
    assert outbox.add(ALICE, told("one")) == ["new"]
