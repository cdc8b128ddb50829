"""A harness whose pack also reads statements."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest

from slowwave import wiring
from slowwave.settings import Settings
from tests.contract.harness import Harness


@pytest.fixture
def stated(harness: Harness, settings: Settings, statement_parts: dict[str, object]) -> Iterator[Harness]:
    """The harness of a process that reads statements beside typed facts."""
    parts = wiring.connect(settings.model_copy(update={"statements": True}))
    vars(parts).update(statement_parts)
    wiring.register(parts)
    with closing(replace(harness, parts=parts)) as told:
        yield told
    parts.close()
