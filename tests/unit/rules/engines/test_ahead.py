"""A second process reads turns ahead; the claims are always those of reading alone."""

import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.ports.context import Upcoming
from slowwave.rules import Pack, default_roots, load_pack
from slowwave.rules.ahead import ReadingAhead, reading_ahead
from tests.faults.rig.processes import until
from tests.unit.rules.rulepacks import MOVED, episode, packed, rule
from tests.unit.tables import table

ROWS = table(__file__)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a process is stopped by signals")

SAID = ROWS["said"]
PLACE = (uuid.UUID(int=1), "everyday", 1)


@pytest.fixture(scope="module")
def everyday() -> Pack:
    return load_pack(default_roots()[0] / "everyday")


@pytest.fixture
def ahead(monkeypatch: pytest.MonkeyPatch) -> Iterator[ReadingAhead]:
    monkeypatch.setattr(reading_ahead, "LEAST_OFFERED", 1)
    with closing(ReadingAhead()) as made:
        yield made


@pytest.fixture(scope="module")
def started() -> Iterator[ReadingAhead]:
    with closing(ReadingAhead()) as made:
        yield made


@pytest.fixture
def running(started: ReadingAhead, monkeypatch: pytest.MonkeyPatch) -> Iterator[ReadingAhead]:
    """A process that several tests use one after another, without a window."""
    monkeypatch.setattr(reading_ahead, "LEAST_OFFERED", 1)
    yield started
    monkeypatch.setattr(reading_ahead, "STALE_SECONDS", -1.0)
    assert started.begun() == []


def turns(first: int, last: int) -> list[StoredEpisode]:
    """Turns of one talk, by their positions."""
    said = [(number, *SAID[number % len(SAID)]) for number in range(first, last + 1)]
    return [episode(content, number=number, role=role) for number, role, content in said]


def window(first: int, last: int, *, before: int = 0) -> Upcoming:
    """A window, and the turns before it."""
    return Upcoming(PLACE, turns(first - before, first - 1), turns(first, last))


def arrived(ahead: ReadingAhead, count: int) -> None:
    """Wait until the other process has read *count* turns of every begun window."""
    until(
        lambda: all(ahead._arrived(second(ahead), one) >= count for one in ahead._begun.values()),
        "read ahead",
        look=0.01,
    )


def read_ahead(ahead: ReadingAhead, pack: Pack) -> None:
    """Let the other process read forty turns."""
    ahead.begin(window(1, 40), pack)
    arrived(ahead, 40)


def second(ahead: ReadingAhead) -> reading_ahead._SecondProcess:
    assert ahead._second is not None
    return ahead._second


def process(ahead: ReadingAhead) -> int:
    return second(ahead)._popen.pid


def alone(pack: Pack, window: Upcoming) -> list[Claim]:
    return pack.propose_after(window.before, window.episodes)


def test_a_window_is_read_by_another_process_with_the_same_claims(
    everyday: Pack, running: ReadingAhead, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = window(2, 60, before=1)  # its first turn answers the turn before
    expected = alone(everyday, asked)
    running.begin(asked, everyday)
    arrived(running, 59)
    monkeypatch.setattr(Pack, "by_turn", None)  # no turn is left for this process

    assert running.begun() == [PLACE]
    assert running.claims(asked, everyday) == expected
    assert len(expected) == 130
    assert running.begun() == []


@pytest.mark.parametrize("limited", [lambda pack: pack, Pack.without_statements], ids=["whole", "typed"])
def test_an_unchanged_reloaded_pack_is_sent_to_the_process_once(
    ahead: ReadingAhead, monkeypatch: pytest.MonkeyPatch, limited: Callable[[Pack], Pack]
) -> None:
    first, again = (limited(load_pack(default_roots()[0] / "everyday")) for _ in range(2))
    assert first is not again
    asked = window(2, 60, before=1)
    expected = alone(first, asked)
    ahead.begin(asked, first)
    ahead.begin(asked, again)
    arrived(ahead, 59)
    monkeypatch.setattr(Pack, "by_turn", None)

    assert ahead.claims(asked, again) == expected
    assert len(second(ahead)._packs) == 1


def test_a_changed_pack_is_sent_to_the_process_again(everyday: Pack, ahead: ReadingAhead) -> None:
    asked = window(2, 60, before=1)
    ahead.begin(asked, everyday)
    typed = everyday.without_statements()
    assert ahead.claims(asked, typed) == alone(typed, asked) != alone(everyday, asked)
    ahead.begin(asked, typed)
    assert len(second(ahead)._packs) == 2


def test_a_stopped_process_does_not_delay_claims(everyday: Pack, ahead: ReadingAhead) -> None:
    ahead.begin(window(1, 8), everyday)
    os.kill(process(ahead), signal.SIGSTOP)
    asked = window(1, 60)

    ahead.begin(asked, everyday)
    assert ahead.claims(asked, everyday) == alone(everyday, asked)


def test_the_caller_reads_the_turns_that_the_process_has_not_read(
    everyday: Pack, running: ReadingAhead, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = window(1, 60)
    read: list[int] = []
    by_turn = Pack.by_turn

    def noting(
        pack: Pack, before: Sequence[StoredEpisode], episodes: Sequence[StoredEpisode]
    ) -> Callable[[StoredEpisode], list[Claim]]:
        one = by_turn(pack, before, episodes)

        def noted(turn: StoredEpisode) -> list[Claim]:
            read.append(turn.position)
            return one(turn)

        return noted

    running.begin(asked, everyday)
    arrived(running, 60)
    begun = running._begun[PLACE]
    begun.replies, begun.turns = begun.replies[:3], sum(one.turns for one in begun.replies[:3])
    expected = alone(everyday, asked)
    monkeypatch.setattr(Pack, "by_turn", noting)

    assert running.claims(asked, everyday) == expected
    assert read == list(range(60, 24, -1))


@pytest.mark.parametrize(
    "claimed",
    [
        window(1, 30),
        window(1, 50),
        window(1, 40, before=1),
        Upcoming(PLACE, [], [*turns(1, 20), episode("I like chess.", number=21), *turns(22, 40)]),
    ],
    ids=["shorter", "longer", "after other turns", "erased and told anew"],
)
def test_claims_read_ahead_are_used_only_for_the_claimed_turns(
    everyday: Pack, running: ReadingAhead, claimed: Upcoming
) -> None:
    read_ahead(running, everyday)

    assert running.claims(claimed, everyday) == alone(everyday, claimed)


def test_a_killed_process_is_named_and_another_one_started_a_few_times(
    everyday: Pack, ahead: ReadingAhead, caplog: pytest.LogCaptureFixture
) -> None:
    asked = window(1, 40)
    killed = set[int]()
    for _ in range(reading_ahead.MOST_DEATHS):
        ahead.begin(asked, everyday)
        killed.add(process(ahead))
        os.kill(process(ahead), signal.SIGKILL)
        second(ahead)._popen.wait(60)
        assert ahead.claims(asked, everyday) == alone(everyday, asked)
    ahead.begin(asked, everyday)

    assert len(killed) == reading_ahead.MOST_DEATHS
    assert caplog.messages == ["the process that reads ahead ended with status -9; this one reads alone"] * 3
    assert ahead.begun() == []
    assert ahead.claims(asked, everyday) == alone(everyday, asked)


def test_a_forked_worker_leaves_the_process_of_its_parent_alone(
    everyday: Pack, ahead: ReadingAhead, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_ahead(ahead, everyday)
    parents, again = second(ahead), window(1, 40)
    monkeypatch.setattr(os, "getpid", lambda: -1)  # as in a child of the process that started it

    assert ahead.begun() == []
    assert ahead.claims(again, everyday) == alone(everyday, again)
    assert parents.status() != -signal.SIGKILL
    ahead.begin(again, everyday)
    assert ahead._second not in (None, parents)
    parents._popen.kill()
    parents._popen.wait()


def test_the_worker_reads_alone_if_no_process_can_start(
    everyday: Pack, ahead: ReadingAhead, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise BlockingIOError

    monkeypatch.setattr("subprocess.Popen", refused)
    ahead.begin(window(1, 40), everyday)

    assert ahead.claims(window(1, 40), everyday) == alone(everyday, window(1, 40))
    (said,) = caplog.messages
    assert said == "no process to read ahead could be started (BlockingIOError); this one reads alone"


@pytest.mark.parametrize(("field", "turns_before"), [("content", 0), ("utc_offset", 16)])
def test_a_turn_that_breaks_the_process_raises_the_same_error_in_the_caller(
    everyday: Pack, running: ReadingAhead, field: str, turns_before: int
) -> None:
    broken = Upcoming(PLACE, [], [*turns(1, 19), turns(20, 20)[0].model_copy(update={field: None}), *turns(21, 40)])
    running.begin(broken, everyday)
    arrived(running, turns_before)
    with pytest.raises((TypeError, AttributeError)) as refused:
        alone(everyday, broken)

    with pytest.raises(type(refused.value)):
        running.claims(broken, everyday)

    pid, asked = process(running), window(1, 40)
    read_ahead(running, everyday)
    assert running.claims(asked, everyday) == alone(everyday, asked)
    assert process(running) == pid  # the other process continues


def test_an_edited_pack_ignores_claims_read_ahead_by_its_former_version(tmp_path: Path, running: ReadingAhead) -> None:
    asked = Upcoming(PLACE, [], [episode("I moved to Oslo", number=number) for number in range(1, 41)])
    before = packed(tmp_path)
    after = packed(tmp_path, version=2, rules=[rule(id="came-home"), {**MOVED, "disabled": True}])
    running.begin(asked, before)
    arrived(running, 40)

    assert running.claims(asked, after) == alone(after, asked) != alone(before, asked)


def test_an_unclaimed_window_is_dropped(everyday: Pack, running: ReadingAhead, monkeypatch: pytest.MonkeyPatch) -> None:
    running.begin(window(1, 40), everyday)
    assert running.begun() == [PLACE]

    monkeypatch.setattr(reading_ahead, "STALE_SECONDS", 0.0)
    assert running.begun() == []
    assert running.claims(window(1, 40), everyday) == alone(everyday, window(1, 40))


def test_a_few_turns_start_no_process_and_close_ends_it(everyday: Pack) -> None:
    ahead = ReadingAhead()
    ahead.begin(window(1, reading_ahead.LEAST_OFFERED - 1), everyday)
    assert (ahead.begun(), ahead._second) == ([], None)

    ahead.begin(window(1, 40), everyday)
    pid = process(ahead)
    ahead.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_the_reading_process_ends_when_its_pipe_closes(everyday: Pack, ahead: ReadingAhead) -> None:
    ahead.begin(window(1, 40), everyday)
    reader = second(ahead)
    assert reader._popen.stdin is not None
    reader._out.put(None)  # the thread closes the pipe, as the system does for a process that ends

    assert reader._popen.wait(60) == 0


def test_the_other_process_dies_with_a_killed_worker() -> None:
    code = """
import time
from tests.unit.rules.engines import test_ahead as here

here.reading_ahead.LEAST_OFFERED = 1
ahead = here.ReadingAhead()
ahead.begin(here.window(1, 40), here.load_pack(here.default_roots()[0] / "everyday"))
print(here.process(ahead), flush=True)
time.sleep(600)
"""
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[4]) as worker:
        assert worker.stdout is not None
        pid = int(worker.stdout.readline())
        worker.kill()

    until(lambda: not _alive(pid), "dead with its worker", look=0.01)


def _alive(pid: int) -> bool:
    found = psutil.process_iter(["status"])
    return any(one.pid == pid and one.info["status"] != psutil.STATUS_ZOMBIE for one in found)
