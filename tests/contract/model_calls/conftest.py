"""Fixtures for model calls: the run protocol with a pack that needs a model."""

import pytest

from tests.contract.harness import Harness
from tests.contract.model_calls.harness import ModelCalls
from tests.contract.model_calls.scripted_models import TALK, Talk


@pytest.fixture
def model_calls(harness: Harness) -> ModelCalls:
    """The harness, with the pack `talk` registered in the place of every other."""
    model_calls = ModelCalls(harness)
    model_calls.install(Talk())
    return model_calls


@pytest.fixture
def talk(model_calls: ModelCalls) -> Talk:
    """The pack."""
    installed = model_calls.harness.parts.models[TALK]
    assert isinstance(installed, Talk)
    return installed
