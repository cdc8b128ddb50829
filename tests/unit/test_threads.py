"""Background threads survive forks, pauses double, and essential threads survive every error."""

import gc
import itertools
import os
import signal
import sys
import threading

import pytest

from slowwave.threads import Background, Lock, Pause, Repeat, keep_pauses_short

DEADLINE_SECONDS = 30.0


class Counting:
    """A background thread that counts its wake-ups until it is stopped."""

    def __init__(self) -> None:
        self.wanted = 0
        self.counted = threading.Event()
        self.thread = Background(self.work, name="counting")

    def ask(self) -> None:
        with self.thread.change:
            self.wanted += 1
            self.thread.wanted()

    def work(self) -> None:
        with self.thread.change:
            self.thread.change.wait_for(lambda: self.wanted)
            self.wanted -= 1
            self.counted.set()
            self.thread.leave()


def test_a_background_thread_runs_on_request_and_again_after_it_ended() -> None:
    counting = Counting()
    for _ in range(3):
        counting.counted.clear()
        counting.ask()
        assert counting.counted.wait(DEADLINE_SECONDS)


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_gets_its_own_thread_even_if_locks_were_held() -> None:
    counting, mutex = Counting(), Lock()
    counting.ask()  # the parent's thread
    assert counting.counted.wait(DEADLINE_SECONDS)
    held, forked = threading.Event(), threading.Event()

    def hold() -> None:
        with counting.thread.change, mutex:
            held.set()
            forked.wait(DEADLINE_SECONDS)

    holder = threading.Thread(target=hold)
    holder.start()
    assert held.wait(DEADLINE_SECONDS)
    child = os.fork()
    if child == 0:
        signal.alarm(int(DEADLINE_SECONDS))
        try:
            counting.counted.clear()
            with mutex:
                counting.ask()
            os._exit(0 if counting.counted.wait(DEADLINE_SECONDS) else 1)
        finally:
            os._exit(2)
    forked.set()
    holder.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_pause_doubles_up_to_its_limit_and_resets_after_a_success() -> None:
    pause, seen = Pause(0.5, 3.0), []
    for _ in range(4):
        seen.append(pause.seconds)
        pause.double()
    pause.reset()
    assert [*seen, pause.seconds] == [0.5, 1.0, 2.0, 3.0, 0.5]


def test_a_repeat_ends_when_its_action_says_false() -> None:
    numbers = itertools.count(1)
    with Repeat(lambda: next(numbers) < 3, pause=lambda: 0.0, name="test") as repeat:
        repeat._thread.join(DEADLINE_SECONDS)
        assert not repeat.alive
    assert next(numbers) == 4


def test_a_repeat_with_a_reporter_survives_each_error() -> None:
    said: list[str] = []
    failures = [OSError(24, "Too many open files"), MemoryError(), RuntimeError("can't start new thread")]
    done = threading.Event()

    def act() -> None:
        if failures:
            raise failures.pop(0)
        done.set()

    def say(sentence: str) -> None:
        said.append(sentence)
        raise BrokenPipeError

    with Repeat(act, pause=lambda: 0.01, name="watch", say=say):
        assert done.wait(DEADLINE_SECONDS)
    assert said == [
        "watch: [Errno 24] Too many open files; tried again in 0.02 s",
        "watch: MemoryError; tried again in 0.04 s",
        "watch: can't start new thread; tried again in 0.08 s",
    ]


def test_keep_pauses_short_freezes_objects_and_shortens_the_switch_interval() -> None:
    switch, slow = sys.getswitchinterval(), 0.005  # another test may have shortened the interval of this process
    sys.setswitchinterval(slow)
    try:
        keep_pauses_short()
        assert gc.get_freeze_count() > 1_000
        assert sys.getswitchinterval() < slow
    finally:
        gc.unfreeze()
        sys.setswitchinterval(switch)
