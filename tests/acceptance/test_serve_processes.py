"""`slowwave serve` with several processes behind one address."""

import asyncio
import os
import re
import signal
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx2
import psutil
import psycopg
import pytest

from slowwave import wiring
from slowwave.cli import serve
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

    with suppress(ProcessLookupError):
        for _ in range(50):  # a signal may come while another one is handled
            os.kill(server.pid, number)

    until(lambda: not server.running, "the server has ended", otherwise=server.said)
    assert (server.said().rstrip().endswith("ended")) == (number == signal.SIGTERM)
    until(lambda: not any(one.is_running() for one in left), "no process stays")


def test_a_process_accepts_few_of_the_connections_that_come_at_once() -> None:
    accepted: list[asyncio.BaseTransport] = []

    class Counting(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            accepted.append(transport)

    async def share(listener: socket.socket) -> None:
        shared = serve.Shared(fileno=os.dup(listener.fileno()))
        shared.setblocking(False)
        server = await asyncio.get_running_loop().create_server(Counting, sock=shared, backlog=serve.AT_ONCE)
        with ExitStack() as connected:
            for _ in range(32):  # they wait in the queue, because the loop does not run
                connected.enter_context(socket.create_connection(listener.getsockname(), timeout=10))
            while not accepted:
                await asyncio.sleep(0)
            assert len(accepted) <= 4, "the others are left to other processes"
            while len(accepted) < 32:
                await asyncio.sleep(0)
            for one in accepted:
                one.close()
        server.close()

    with serve.listening("127.0.0.1", 0) as listener:
        asyncio.run(share(listener))


def test_a_port_in_use_is_reported(server: Process, tmp_path: Path, postgres: PostgresServer) -> None:
    port = address(server).rpartition(":")[2]
    command = python("slowwave.cli", "serve", "--port", port, "--processes", "2")
    second = Process(command, plain_environment(SLOWWAVE_URL=postgres.url()), tmp_path / "second.log")
    with running(second):
        until(lambda: not second.running, "the second server ends", otherwise=second.said)
        assert f"127.0.0.1 port {port} cannot be used: Address already in use" in second.said()


def test_a_request_in_progress_is_answered_before_the_server_ends(server: Process, postgres: PostgresServer) -> None:
    with opened(postgres, "slowwave", {}) as parts:
        _, secret = Access(parts).create("waiting", ["push"])
    answers: list[int] = []

    def push() -> None:
        body = {"user": "waiting", "content": "hello", "key": "1"}
        headers = {"Authorization": f"Bearer {secret}"}
        answers.append(httpx2.post(f"{address(server)}/v1/push", json=body, headers=headers, timeout=30).status_code)

    with psycopg.connect(postgres.url("slowwave_owner")) as holding:
        holding.execute("LOCK TABLE episodes IN EXCLUSIVE MODE")
        request = threading.Thread(target=push)
        request.start()
        with psycopg.connect(postgres.url("slowwave_owner"), autocommit=True) as looking:
            waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'episodes'::regclass"
            until(lambda: looking.execute(waiting).fetchone(), "the push waits")
        server.ask(signal.SIGTERM)
        until(lambda: server.said().count("Shutting down") == 3, "all shut down", otherwise=server.said)
        assert not answers
        holding.rollback()
    request.join()
    until(lambda: not server.running, "the server has ended", otherwise=server.said)

    assert answers == [201]


def test_32_clients_of_the_embedded_memory_get_their_own_answers(tmp_path: Path) -> None:
    """The number of processes comes from the setting; no key is needed, and no server stays."""
    with open_folder("served") as home:
        env = plain_environment(SLOWWAVE_HOME=str(home), SLOWWAVE_API_PROCESSES="2")
        server = Process(python("slowwave.cli", "serve", "--port", "0"), env, tmp_path / "serve.log")
        with running(server):
            until(lambda: server.said().count("Application startup complete") == 2, "both serve", otherwise=server.said)
            until(lambda: "NO KEY IS REQUIRED" in server.said(), "the server is ready", otherwise=server.said)
            assert len(answering(server)) == 2
            wrong: list[str] = []

            def live(number: int) -> None:
                with httpx2.Client(base_url=address(server), timeout=60) as client:
                    for turn in range(3):
                        body = {"user": f"user {number}", "content": f"I like food{number}", "key": f"{turn}"}
                        client.post("/v1/push", json=body).raise_for_status()
                    asked = client.post("/v1/recall", json={"user": f"user {number}", "question": "what do I like?"})
                    for item in asked.raise_for_status().json()["items"]:
                        if not item["text"].endswith(f"food{number}"):
                            wrong.append(item["text"])
                    found = client.post("/v1/recall", json={"user": f"user {number}", "question": "food"}).json()
                    assert found["items"]

            with ThreadPoolExecutor(32) as clients:
                list(clients.map(live, range(32)))
            assert not wrong

            left = server.children()
            server.ask(signal.SIGTERM)
            until(lambda: not server.running, "the server has ended", otherwise=server.said)
            until(lambda: not any(one.is_running() for one in left), "no process stays, not even of Postgres")
