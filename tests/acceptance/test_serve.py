"""`slowwave serve` as a process: it says when it is ready, answers 503 while Postgres is unreachable, and ends on
SIGTERM.
"""

import os
import re
import signal
import tempfile
from pathlib import Path

import httpx2
import pytest

from slowwave import wiring
from slowwave.embedded_services import PostgresServer
from slowwave.memory.operations.access import Access
from slowwave.settings import Settings
from tests.faults.rig.processes import Process, python, running
from tests.faults.rig.waiting import until

HELLO = {"user": "nora", "content": "I moved to Oslo", "key": "m1"}


@pytest.mark.accept
def test_a_server_acknowledges_and_reports_an_outage_and_stops_on_a_signal(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="slowwave-serve-") as home:
        os.chmod(home, 0o755)
        with PostgresServer(Path(home) / "postgres", durable=False) as postgres:
            wiring.migrate_database(postgres.url("slowwave_owner"))
            parts = wiring.connect(Settings.load(url=postgres.url(), statements=False))
            wiring.register(parts)
            _, secret = Access(parts).create("test", ["*"])
            parts.close()

            env = {name: value for name, value in os.environ.items() if not name.startswith("SLOWWAVE_")}
            command = python("slowwave.cli", "serve", "--port", "0")
            server = Process(command, env | {"SLOWWAVE_URL": postgres.url()}, tmp_path / "serve.log")
            with running(server):
                until(lambda: "ready: serves" in server.said(), "the server is ready", otherwise=server.said)
                found = re.search(r"http://127\.0\.0\.1:\d+", server.said().partition("ready: serves")[2])
                assert found, server.said()
                with httpx2.Client(base_url=found[0], headers={"Authorization": f"Bearer {secret}"}) as client:
                    assert client.post("/v1/push", json=HELLO).status_code == 201

                    postgres.kill()
                    away = client.post("/v1/push", json=HELLO | {"key": "m2"}, timeout=30)
                    assert (away.status_code, away.headers["content-type"]) == (503, "application/problem+json")
                    assert int(away.headers["retry-after"]) >= 1
                    assert client.get("/health/ready", timeout=30).status_code == 503
                    assert client.get("/health/live").status_code == 200

                    postgres.start()
                    again = client.post("/v1/push", json=HELLO, timeout=30)
                    assert (again.status_code, again.json()["repeated"]) == (201, True)

                server.ask(signal.SIGTERM)
                until(lambda: not server.running, "the server has ended", otherwise=server.said)
                assert server.said().rstrip().endswith("ended")
