"""MCP at `/mcp` of the API: the official client over HTTP, with the API's keys."""

from collections.abc import Callable
from typing import Any

import anyio
import httpx2
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from slowwave.api.app import create_app
from slowwave.memory import Memory
from slowwave.wiring import Parts
from tests.integration.api.conftest import Keyed, refused

Ask = Callable[..., Any]


@pytest.fixture
def ask(address: str) -> Ask:
    """Calls a tool with the headers of a key, about the user `nora` of its tenant."""

    def ask(headers: dict[str, str], tool: str, query: str = "user=nora", **arguments: Any) -> Any:
        async def talk() -> Any:
            async with (
                httpx2.AsyncClient(headers=headers) as http,
                Client(streamable_http_client(f"{address}/mcp?{query}", http_client=http)) as client,
            ):
                return await client.call_tool(tool, arguments)

        return anyio.run(talk)

    return ask


def test_tools_work_over_http_and_the_tenant_is_the_keys(ask: Ask, keyed: Keyed) -> None:
    mine, theirs = keyed("mine"), keyed("theirs")

    assert ask(mine, "push", content="I live in Lisbon.").structured_content["state"] == "stored"
    assert "Lisbon" in ask(mine, "recall", question="Where do I live?").content[0].text
    assert ask(theirs, "recall", question="Where do I live?").structured_content == {"memories": []}
    assert ask(theirs, "recall", "user=nora&tenant=mine", question="Where?").structured_content == {"memories": []}
    (best,) = ask(mine, "recall", question="Where do I live?").structured_content["memories"]
    assert ask(theirs, "why", id=best["id"]).is_error
    assert ask(mine, "why", id=best["id"]).structured_content["text"] == "I live in Lisbon."


@pytest.mark.accept
def test_a_key_allows_only_the_tools_of_its_verbs(ask: Ask, keyed: Keyed) -> None:
    reads = keyed("mine", "recall")

    assert not ask(reads, "facts").is_error
    said = ask(reads, "push", content="I live in Rome.")
    assert said.is_error
    assert "not for 'push'" in said.content[0].text
    assert "not for 'review'" in ask(reads, "review").content[0].text
    assert "opens nothing" in ask({"Authorization": "Bearer wrong"}, "facts").content[0].text


def test_an_mcp_request_without_a_key_is_refused(app: FastAPI) -> None:
    with TestClient(app) as client:
        problem = refused(client.post("/mcp", json={}), 401)

    assert "Bearer KEY" in problem["hint"]


@pytest.mark.accept
def test_a_keyless_mcp_server_refuses_requests_of_other_origins(parts: Parts, ask: Ask) -> None:
    app = create_app(Memory(parts), keyless=True)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        refused(client.post("/mcp", json={}, headers={"Origin": "https://evil.example"}), 403)
        refused(client.post("/mcp", json={}, headers={"Host": "evil.example"}), 403)
        hello = {
            "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"},
            },
        }  # fmt: skip
        accepts = {"Accept": "application/json, text/event-stream"}
        assert client.post("/mcp", json=hello, headers=accepts).json()["result"]["serverInfo"]["name"] == "slowwave"
