"""`slowwave serve` with several processes behind one address."""

import os
import re
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx2
import psutil
import pytest

from slowwave import wiring
from slowwave.embedded_services import PostgresServer
from slowwave.memory import Memory
from slowwave.memory.operations import Access
from tests.databases import opened
from tests.faults.rig.processes import Process, plain_environment, python, running, until
from tests.folders import open_folder

pytestmark = pytest.mark.accept


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    """A migrated Postgres."""
    with open_folder("serve") as home, PostgresServer(home / "postgres", durable=False) as server:
        wiring.migrate_database(server.url("slowwave_owner"))
        yield server


@pytest.fixture
def server(postgres: PostgresServer, tmp_path: Path) -> Iterator[Process]:
    """A server with three processes that answer."""
    command = python("slowwave.cli", "serve", "--port", "0", "--processes", "3")
    server = Process(command, plain_environment(SLOWWAVE_URL=postgres.url()), tmp_path / "serve.log")
    with running(server):
        until(lambda: server.said().count("Application startup complete") == 3, "all serve", otherwise=server.said)
        until(lambda: "ready: serves" in server.said(), "the server is ready", otherwise=server.said)
        yield server


def address(server: Process) -> str:
    found = re.search(r"ready: serves (http://127\.0\.0\.1:\d+)", server.said())
    assert found, server.said()
    return found[1]


def answering(server: Process) -> list[psutil.Process]:
    """Return the processes that answer requests."""
    children = psutil.Process(server.pid).children(recursive=True)
    return [one for one in children if "--socket" in one.cmdline() and "slowwave.cli" in one.cmdline()]


def test_no_acknowledged_push_is_lost_when_a_process_is_killed(server: Process, postgres: PostgresServer) -> None:
    with opened(postgres, "slowwave", {}) as parts:
        _, secret = Access(parts).create("test", ["*"])
    acknowledged, failed, stop = [], [], threading.Event()

    def push(worker: int) -> None:
        number = 0
        while not stop.is_set():
            number += 1
            body = {"user": f"user {worker}", "content": "hello", "key": f"{worker} {number}"}
            try:
                answer = httpx2.post(
                    f"{address(server)}/v1/push", json=body, headers={"Authorization": f"Bearer {secret}"}, timeout=30
                )
            except httpx2.TransportError:
                failed.append(number)  # the process of this request was killed
            else:
                assert answer.status_code == 201
                acknowledged.append((worker, body["key"]))

    threads = [threading.Thread(target=push, args=(worker,)) for worker in range(8)]
    for thread in threads:
        thread.start()
    until(lambda: len(acknowledged) > 100, "pushes are acknowledged")
    (victim, *_), before = answering(server), len(acknowledged)
    victim.kill()
    until(lambda: len(acknowledged) > before + 300, "the others go on")
    until(lambda: len(answering(server)) == 3, "the killed process starts again")
    stop.set()
    for thread in threads:
        thread.join()

    assert len(failed) <= 8, "a client had one request in the killed process at most"
    with opened(postgres, "slowwave", {}) as parts:
        memory = Memory(parts)
        for worker, key in acknowledged:
            assert memory.scope(f"user {worker}").episode(key)


def test_visitors_of_the_viewer_stay_logged_in_whichever_process_answers(
    server: Process, postgres: PostgresServer
) -> None:
    with opened(postgres, "slowwave", {}) as parts:
        _, secret = Access(parts).create("person", ["*"])
    inside = httpx2.post(f"{address(server)}/viewer/enter", data={"key": secret, "next": "/viewer"})
    cookie = inside.headers["set-cookie"].partition(";")[0]

    def page() -> int:
        return httpx2.get(f"{address(server)}/viewer/people", headers={"Cookie": cookie}).status_code

    assert {page() for _ in range(30)} == {200}
    token = re.search(
        r'name="token" value="(\w+)"', httpx2.get(f"{address(server)}/viewer/people", headers={"Cookie": cookie}).text
    )
    assert token
    httpx2.post(f"{address(server)}/viewer/leave", data={"token": token[1]}, headers={"Cookie": cookie})
    assert {page() for _ in range(30)} == {303}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_no_process_stays_when_the_server_ends(server: Process, number: signal.Signals) -> None:
    left = psutil.Process(server.pid).children(recursive=True)
    assert len(left) >= 3

    os.kill(server.pid, number)

    until(lambda: not server.running, "the server has ended", otherwise=server.said)
    assert (server.said().rstrip().endswith("ended")) == (number == signal.SIGTERM)
    until(lambda: not any(one.is_running() for one in left), "no process stays")


def test_a_port_in_use_is_reported(server: Process, tmp_path: Path, postgres: PostgresServer) -> None:
    port = address(server).rpartition(":")[2]
    command = python("slowwave.cli", "serve", "--port", port, "--processes", "2")
    second = Process(command, plain_environment(SLOWWAVE_URL=postgres.url()), tmp_path / "second.log")
    with running(second):
        until(lambda: not second.running, "the second server ends", otherwise=second.said)
        assert f"127.0.0.1 port {port} cannot be used: Address already in use" in second.said()
