"""The API for callers: an app on the test's database, and clients with keys of two tenants."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from slowwave.api.app import create_app
from slowwave.memory import Memory
from slowwave.memory.operations import Access
from slowwave.wiring import Parts
from tests.integration.api.served import serving

MINE, THEIRS = "mine", "theirs"
Keyed = Callable[..., dict[str, str]]


@pytest.fixture
def app(parts: Parts) -> FastAPI:
    return create_app(Memory(parts))


@pytest.fixture
def keyed(parts: Parts) -> Keyed:
    """Makes a key and returns the headers that carry it."""

    def make(tenant: str = MINE, *verbs: str) -> dict[str, str]:
        _, secret = Access(parts).create("test", list(verbs or ["*"]), tenant=tenant)
        return {"Authorization": f"Bearer {secret}"}

    return make


@pytest.fixture
def client(app: FastAPI, keyed: Keyed) -> Iterator[TestClient]:
    """A caller of the tenant `mine`, for every verb."""
    with TestClient(app, headers=keyed(), raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def address(app: FastAPI) -> Iterator[str]:
    """The address of a real server of the app."""
    with serving(app) as address:
        yield address


def refused(answer: Any, status: int) -> dict[str, Any]:
    """Return the problem in *answer*."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem: dict[str, Any] = answer.json()
    assert problem["status"] == status
    return problem
