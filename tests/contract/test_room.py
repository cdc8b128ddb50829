"""Storage limits: push is refused before the database exceeds its size or fills the disk, and recall continues."""

import shutil
from collections import namedtuple
from dataclasses import replace
from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.errors import Crowded
from slowwave.memory import Memory
from slowwave.store.access.database_size import Room
from tests.contract.harness import Harness

ANN = Scope("acme", "ann", "a")
Usage = namedtuple("Usage", "total used free")


def episodes(number: int) -> list[Episode]:
    return [Episode(content=f"I like tea {number}", key=str(number))]


def size(harness: Harness) -> int:
    return int(harness.value("SELECT pg_database_size(current_database())"))


def limited(parts: wiring.Parts, room: Room) -> None:
    vars(parts.quotas)["_room"] = room


def test_a_database_at_its_set_size_refuses_pushes_and_answers_questions(harness: Harness) -> None:
    scope = Memory(harness.parts).scope("ann", agent="a", tenant="acme")
    scope.push("I live in Oslo", key="before")
    limited(harness.parts, Room(most_bytes=size(harness)))

    with pytest.raises(Crowded, match="SLOWWAVE_DATABASE_BYTES") as refused:
        harness.parts.push(ANN, episodes(1))

    assert refused.value.retry_after_seconds == 60
    assert [one.text for one in scope.recall("Where does Ann live?")] == ["I live in Oslo"]
    limited(harness.parts, Room(most_bytes=2 * size(harness)))
    assert [one.state for one in harness.parts.push(ANN, episodes(1))] == ["stored"]


def test_a_disk_with_little_room_refuses_pushes_until_there_is_more(
    harness: Harness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = [10]
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: Usage(100, 90, free[0]))
    limited(harness.parts, Room(folder=tmp_path, free_bytes=20))

    for number in (1, 2):
        with pytest.raises(Crowded, match="10 free bytes, and SLOWWAVE_FREE_BYTES is 20"):
            harness.parts.push(ANN, episodes(number))
    free[0] = 20

    assert [one.state for one in harness.parts.push(ANN, episodes(1))] == ["stored"]


def test_an_outbox_keeps_the_episodes_that_a_full_database_refuses(harness: Harness, tmp_path: Path) -> None:
    changes = {"outbox": tmp_path / "outbox", "database_bytes": 1}
    parts = wiring.connect(harness.parts.settings.model_copy(update=changes))

    assert [receipt.state for receipt in parts.push(ANN, episodes(1))] == ["spooled"]
    parts.close()


def test_the_settings_say_the_limits(harness: Harness) -> None:
    parts = harness.parts
    own = parts.settings.model_copy(update={"database_bytes": 1000, "free_bytes": 7})
    embedded = own.model_copy(update={"url": None})

    rooms = [vars(replace(parts, settings=one).quotas)["_room"] for one in (own, embedded)]

    assert rooms == [Room(1000, None, 7), Room(1000, own.home, 7)]
