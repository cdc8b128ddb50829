"""Write-behind writes each row once, in order, and keeps rows while the database is unavailable."""

import threading

import pytest

from slowwave.errors import Unavailable
from slowwave.store import write_behind
from slowwave.store.write_behind import WriteBehind


def test_added_rows_are_written_once_and_in_order() -> None:
    written: list[int] = []
    writer: WriteBehind[int] = WriteBehind(lambda batch: written.extend(batch), name="test")

    for number in range(100):
        writer.add([number, number + 1000])
    writer.close()

    assert written == [each for number in range(100) for each in (number, number + 1000)]


def test_a_full_batch_is_written_without_being_asked_for() -> None:
    written = threading.Event()
    writer: WriteBehind[int] = WriteBehind(lambda batch: written.set(), name="test")

    writer.add(range(write_behind.MOST))

    assert written.wait(30)
    writer.close()


def test_add_does_not_wait_for_a_write() -> None:
    stuck, caller_is_back = threading.Event(), threading.Event()

    def write(batch: list[int]) -> None:
        stuck.set()
        caller_is_back.wait(30)

    writer = WriteBehind(write, name="test")
    writer.add(range(write_behind.MOST))
    assert stuck.wait(30)

    writer.add([1])  # while the other batch is blocked

    caller_is_back.set()
    writer.close()


def test_rows_of_a_failed_write_are_kept_in_order_and_the_written_ones_are_not_repeated() -> None:
    written: list[int] = []

    def write(batch: list[int]) -> None:
        written.append(batch.pop(0))
        if batch:
            raise Unavailable("away after the first")

    writer = WriteBehind(write, name="test")
    writer.add([1, 2])
    with pytest.raises(Unavailable):
        writer.flush()
    writer.add([3])
    with pytest.raises(Unavailable):
        writer.flush()
    writer.flush()
    writer.close()

    assert written == [1, 2, 3]


def test_the_buffer_drops_the_oldest_rows_beyond_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_behind, "DEEPEST", 3)
    written: list[int] = []
    writer: WriteBehind[int] = WriteBehind(lambda batch: written.extend(batch), name="test")
    writer.add(range(5))
    writer.close()

    assert written == [2, 3, 4]
    assert writer.lost == 2
