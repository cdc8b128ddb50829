"""A desk to work at: the run protocol with a pack that needs a model."""

import pytest

from tests.contract.desk.desks import Desk
from tests.contract.desk.models import TALK, Talk
from tests.contract.harness import Harness


@pytest.fixture
def desk(harness: Harness) -> Desk:
    """The harness, with the pack `talk` registered in the place of every other."""
    desk = Desk(harness)
    desk.install(Talk())
    return desk


@pytest.fixture
def talk(desk: Desk) -> Talk:
    """The pack."""
    installed = desk.harness.parts.models[TALK]
    assert isinstance(installed, Talk)
    return installed
