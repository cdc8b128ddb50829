"""Webhooks that may reach receivers on this host."""

from collections.abc import Iterator

import pytest

from slowwave.settings import Settings
from tests.integration.subscriptions.receiver import Receiver, receiving


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """The settings of the test, with webhooks to this host."""
    return settings.model_copy(update={"webhooks": "loopback", "webhook_timeout_seconds": 5.0})


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A receiver of webhooks over http."""
    with receiving() as receiver:
        yield receiver
