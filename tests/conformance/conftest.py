"""Fixtures of the conformance tests: the shipped settings, which also extract statements."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from typing import Any

import pytest

from slowwave import wiring
from slowwave.settings import Settings
from slowwave.testing import stop_clock
from tests.contract.conftest import harness
from tests.contract.harness import Harness
from tests.contract.memory_state.harness import now
from tests.faults.rig.provider import LocalProvider, answering
from tests.statements import heavy_parts, settings
from tests.unit.model_packs.talks import reader, recorded

__all__ = ["harness", "heavy_parts", "settings"]


@pytest.fixture
def connected(settings: Settings, heavy_parts: dict[str, object]) -> Iterator[Callable[..., wiring.Parts]]:
    """Connects a process with other settings, and registers its packs; it is closed after the test."""
    with ExitStack() as stack:

        def connect(**changed: Any) -> wiring.Parts:
            parts = wiring.connect(settings.model_copy(update=changed))
            vars(parts).update(heavy_parts)
            wiring.register(parts)
            stack.callback(parts.close)
            return parts

        yield connect


@pytest.fixture
def grampus(connected: Callable[..., wiring.Parts]) -> wiring.Parts:
    """The parts of a process that lives by the preset `grampus_f3`."""
    return connected(preset="grampus_f3")


@pytest.fixture
def provider() -> Iterator[LocalProvider]:
    """A model that replies to the reader's cases as recorded, and finds nothing in other talk."""
    with answering(replies=recorded(reader())) as provider:
        yield provider


@pytest.fixture
def passed(harness: Harness) -> Callable[[timedelta], None]:
    """Sets the clock to this time after the beginning; the clock is stopped in between."""
    began = now(harness)

    def wait(time: timedelta) -> None:
        stop_clock(harness.owner_url, began + time)

    wait(timedelta(0))
    return wait
