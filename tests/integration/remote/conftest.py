"""The same memory twice: on its database, and over the HTTP of a real server."""

from collections.abc import Iterator
from typing import cast

import pytest

from slowwave.api.app import create_app
from slowwave.memory import Memory
from slowwave.memory.operations import Access
from slowwave.wiring import Parts
from tests.integration.api.served import serving


@pytest.fixture
def beside(parts: Parts) -> Memory:
    """The memory on its database."""
    return Memory(parts)


@pytest.fixture
def key(parts: Parts) -> str:
    """A key for every verb, for the tenant of the local memory."""
    return Access(parts).create("test", ["*"], tenant=parts.settings.tenant)[1]


@pytest.fixture
def address(beside: Memory) -> Iterator[str]:
    """The address of a server over that memory."""
    with serving(create_app(beside)) as address:
        yield address


@pytest.fixture
def remote(address: str, key: str) -> Iterator[Memory]:
    """The memory over HTTP."""
    with Memory.connect(address, key=key) as memory:
        yield memory


@pytest.fixture(params=["beside", "remote"])
def memory(request: pytest.FixtureRequest) -> Memory:
    """The local and the remote memory in turn."""
    return cast(Memory, request.getfixturevalue(request.param))
