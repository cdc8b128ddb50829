"""A home for the embedded services that a test starts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.folders import open_folder


@pytest.fixture
def home() -> Iterator[Path]:
    """A home that the accounts of the embedded services may enter; it does not exist yet."""
    with open_folder("home") as folder:
        yield folder / "home"
