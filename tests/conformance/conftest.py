"""Fixtures of the conformance tests: the shipped settings, which also extract statements."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from slowwave import wiring
from slowwave.settings import Settings
from tests.contract.conftest import harness
from tests.statements import heavy_parts, settings

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
