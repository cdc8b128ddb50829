"""Grampus F3 pays a model once a topic: one call a trigger, one to three a session of half an hour."""

from collections.abc import Iterator

import psycopg
import pytest

from slowwave import wiring
from slowwave.cli.demo.sample import sample
from slowwave.domain.episode import Episode
from slowwave.memory import Memory, MemoryScope
from slowwave.settings import Settings
from tests.faults.rig.provider import LocalProvider, answering
from tests.unit.model_packs.talks import reader, recorded


@pytest.fixture
def provider() -> Iterator[LocalProvider]:
    """A model that replies to the reader's cases as recorded, and finds nothing in other talk."""
    with answering(replies=recorded(reader())) as provider:
        yield provider


@pytest.fixture
def grampus(settings: Settings, provider: LocalProvider, heavy_parts: dict[str, object]) -> Iterator[wiring.Parts]:
    """The parts of a process that lives by the preset `grampus_f3` and reads with a model."""
    said = {**settings.model_dump(exclude_unset=True), "preset": "grampus_f3", "model": "echo"}
    parts = wiring.connect(Settings.load(**said, model_url=provider.url))
    vars(parts).update(heavy_parts)
    wiring.register(parts)
    yield parts
    parts.close()


@pytest.mark.requirement("S0.42")
def test_each_trigger_makes_one_call_and_a_session_of_half_an_hour_one_to_three(
    grampus: wiring.Parts, provider: LocalProvider, superuser: psycopg.Connection
) -> None:
    lines = [line for line in sample() if line.scope.channel == "home"]
    for line in lines:
        MemoryScope(grampus, line.scope).push(Episode.from_message(line.episode))
    Memory(grampus).drain()

    count = superuser.execute("SELECT count(*) FROM firings WHERE schedule = 'reader/semantic_shift'").fetchone()
    windows = superuser.execute(
        "SELECT w.lo, w.hi, (SELECT count(*) FROM model_chunks c WHERE c.model_window = w.model_window) "
        "FROM model_windows w ORDER BY w.lo"
    ).fetchall()
    said_by = [line.episode["role"] for line in lines]
    asked = [requests for lo, hi, requests in windows if "user" in said_by[lo - 1 : hi]]
    assert count == (len(windows),), "each trigger, and nothing else, makes a window"
    assert asked == [1] * len(asked)
    assert provider.billed.total() == len(asked) == sum(requests for _, _, requests in windows)
    assert 1 <= len(asked) / len({line.episode["session"] for line in lines}) <= 3
