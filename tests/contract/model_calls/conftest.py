"""Fixtures for model calls: the run protocol with a pack that needs a model."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.contract.harness import Harness
from tests.contract.model_calls.harness import ModelCalls
from tests.contract.model_calls.scripted_models import Echo, Talk


@pytest.fixture
def calls(harness: Harness) -> Iterator[ModelCalls]:
    """The harness, with the pack `talk` registered in the place of every other."""
    with closing(ModelCalls(**vars(harness))) as calls:
        calls.install(Talk())
        yield calls


@pytest.fixture
def echo(calls: ModelCalls) -> Echo:
    """The provider of this process, which answers at once."""
    echo = Echo()
    vars(calls.parts).update(provider=echo)
    vars(calls.parts).pop("asker", None)
    return echo
