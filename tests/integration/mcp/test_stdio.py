"""`slowwave mcp` as agents start it: real processes, the official client, and an embedded database."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from slowwave.embedded_services import PostgresServer
from tests.faults.rig.processes import until

pytestmark = pytest.mark.accept


def started(home: Path, *options: str) -> Client:
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "slowwave.cli", "mcp", "--user", "nora", *options],
        env={**os.environ, "SLOWWAVE_HOME": str(home), "SLOWWAVE_URL": "", "SLOWWAVE_STATEMENTS": "off"},
    )  # fmt: skip
    return Client(stdio_client(parameters))


async def said(client: Client, tool: str, **arguments: Any) -> str:
    found = await client.call_tool(tool, arguments)
    (block,) = found.content
    assert not found.is_error, block
    return str(block.text)  # type: ignore[union-attr]


@pytest.mark.timeout(240)
def test_concurrent_agents_share_a_memory_that_survives_its_starter(open_folder: Path) -> None:
    home = open_folder / "of-agents"

    async def live() -> str:
        async with started(home) as second:
            async with started(home) as first:
                await said(first, "push", content="I live in Lisbon.", session="s1")
                assert "Lisbon" in await said(second, "recall", question="Where do I live?")
            PostgresServer(home / "postgres").kill()
            await said(second, "push", content="I moved to Oslo.", session="s1")
            return await said(second, "recall", question="Where do I live?")

    found = anyio.run(live)
    assert "I moved to Oslo." in found
    assert "I live in Lisbon." in found
    until(lambda: PostgresServer(home / "postgres").pid is None, "the embedded Postgres has ended with the last")


@pytest.mark.timeout(120)
def test_only_the_protocol_is_written_to_standard_output(url: str, tmp_path: Path) -> None:
    hello = (
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
        '"clientInfo":{"name":"test","version":"1"}}}\n'
        '{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
        '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"recall","arguments":{"question":"Where?"}}}\n'
    )
    with subprocess.Popen(
        [sys.executable, "-m", "slowwave.cli", "mcp", "--user", "nora"], text=True, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, env={**os.environ, "SLOWWAVE_URL": url, "SLOWWAVE_HOME": str(tmp_path)},
    ) as server:  # fmt: skip
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(hello)
        server.stdin.flush()
        lines = [server.stdout.readline(), server.stdout.readline()]
        server.stdin.close()
        assert server.stdout.read() == ""
        assert server.wait(60) == 0

    assert [line.startswith('{"jsonrpc":"2.0","id":') for line in lines] == [True, True]
