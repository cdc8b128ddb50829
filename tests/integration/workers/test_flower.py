"""Flower shows an operator the effect and scope of each task, losses in red, and no user text."""

import base64
import json
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from celery.utils.nodenames import worker_direct

from slowwave import wiring
from slowwave.broker import queue
from slowwave.broker.envelope import UNSHOWN
from slowwave.cli.supervisor.programs import Page, flower, node_name
from slowwave.domain.job_table import CONSOLIDATE, PREPARE
from slowwave.domain.scope import Scope
from slowwave.embedded_services import PostgresServer, RedisServer
from slowwave.memory import due_work
from slowwave.wiring import Settings
from tests.faults.rig.processes import Process, free_port, python, running, until
from tests.integration.conftest import Station
from tests.integration.workers.test_ingest import envelope, message

pytestmark = pytest.mark.accept

WORDS = "I moved to Reykjavik"
Connect = Callable[..., wiring.Parts]


class Board:
    """A real Flower and its HTTP client."""

    def __init__(self, page: Page, process: Process) -> None:
        self._address, self._process = page.url.rpartition("@")[2], process
        self._password = base64.b64encode(page.url.removeprefix("http://").rpartition("@")[0].encode()).decode()

    def tasks(self) -> dict[str, Any]:
        """Return every task that Flower knows, by id; none before it has started."""
        return self.ask("tasks")

    def ask(self, what: str) -> dict[str, Any]:
        """Return Flower's answer; nothing before it has started."""
        request = urllib.request.Request(f"http://{self._address}/api/{what}")
        request.add_header("Authorization", f"Basic {self._password}")
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                found: dict[str, Any] = json.load(answer)
        except OSError:
            return {}
        return found

    def until(self, id_: str, state: str) -> dict[str, Any]:
        """Return the task of that id once it is in that *state*."""
        seen: dict[str, Any] = {}

        def there() -> bool:
            seen.update(self.tasks().get(id_, {}))
            return seen.get("state") == state

        until(there, f"{id_} is {state}", otherwise=lambda: f"{seen}\n{self._process.said()}")
        return seen


@contextmanager
def beside(station: Station, log: Path) -> Iterator[Board]:
    """Run a Flower that receives the events of *station*'s worker."""
    own = Settings.load(flower_port=free_port(), home=log.parent)  # Flower's stored tasks are of this worker
    page = flower(own, print)
    assert page
    env = {**station.worker.env, **page.environment}
    process = Process(python("celery", "-A", "worker.app", "flower"), env, log)
    with running(process):
        made = Board(page, process)
        ids = iter([str(uuid.uuid4()) for _ in range(1000)])

        def heard() -> bool:
            station.send(envelope({}, args=[str(uuid.uuid4())], id_=next(ids), task="slowwave.prepare"))
            return bool(made.tasks())

        until(heard, "Flower hears the worker", otherwise=process.said)
        yield made


@pytest.fixture(scope="module")
def board(session_station: Station, open_folder: Path) -> Iterator[Board]:
    """A Flower beside the session's worker."""
    with beside(session_station, open_folder / "flower.log") as made:
        yield made


def ring(station: Station, job: str, scope: Scope) -> str:
    """Send the task of a job for a scope; return the task's id."""
    id_ = str(uuid.uuid4())
    station.send(envelope({}, args=[str(scope.id)], id_=id_, task=f"slowwave.{job}"))
    return id_


def tell(station: Station, scope: Scope, *episodes: dict[str, Any]) -> str:
    """Push episodes through the broker; return the task's id."""
    id_ = str(uuid.uuid4())
    station.send(envelope(message(scope, *episodes), id_=id_))
    return id_


def test_an_ingest_task_shows_its_counts_and_no_words(station: Station, board: Board, scope: Scope) -> None:
    task = board.until(tell(station, scope, {"key": "a", "content": WORDS}, {"key": "b", "content": "x"}), "SUCCESS")

    assert task["result"] == f"'ok: 2 stored of 2 episodes (scope {scope.id})'"
    assert (task["args"], task["kwargs"]) == (UNSHOWN, UNSHOWN)


def test_an_ingest_with_dead_letters_is_a_failed_task(station: Station, board: Board, scope: Scope) -> None:
    some = board.until(tell(station, scope, {"content": WORDS}, {"content": WORDS, "role": "alien"}), "FAILURE")
    whole = board.until(tell(station, scope), "FAILURE")

    assert some["exception"] == f"Buried('dead: 1 stored, 1 refused of 2 episodes (scope {scope.id})')"
    assert whole["exception"] == "Buried('dead: the whole message is a dead letter')"


def test_a_job_task_shows_its_counts_and_the_run_names_the_task(
    station: Station, board: Board, scope: Scope, connected: Connect
) -> None:
    tell(station, scope, {"content": WORDS}, {"content": "And so it goes"})
    parts = connected()
    until(lambda: station.stored(scope) and not due_work.is_due(parts, scope.id), "it is prepared")
    due_work.fire(parts, scope.id)

    id_ = ring(station, CONSOLIDATE, scope)
    task = board.until(id_, "SUCCESS")

    (run,) = parts.records.runs(scope.tenant, most=10, task=id_)
    assert (run.job, run.outcome, run.scope) == (CONSOLIDATE, "ok", scope)
    assert task["args"] == f"consolidate of {scope.id}"
    assert task["result"] == f"'ok: 1 add of 2 episodes (everyday, run {run.run}, scope {scope.id})'"
    assert board.until(ring(station, CONSOLIDATE, scope), "SUCCESS")["result"] == (
        f"'nothing was due (scope {scope.id})'"
    )


def test_a_run_with_a_dead_letter_is_a_failed_task(
    station: Station, board: Board, scope: Scope, connected: Connect
) -> None:
    parts = connected()
    refuse = "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE SQLSTATE '22000'; END$$"
    trigger = f"CREATE TRIGGER refuse BEFORE INSERT ON facts FOR EACH ROW WHEN (NEW.scope = '{scope.id}')"
    with psycopg.connect(station.postgres.url("postgres"), autocommit=True) as connection:
        connection.execute(refuse.encode())
        connection.execute(f"{trigger} EXECUTE FUNCTION refuse()".encode())
        try:
            tell(station, scope, {"content": WORDS})
            until(lambda: station.stored(scope) and not due_work.is_due(parts, scope.id), "it is prepared")
            due_work.fire(parts, scope.id)
            id_ = ring(station, CONSOLIDATE, scope)
            task = board.until(id_, "FAILURE")
        finally:
            connection.execute(b"DROP FUNCTION refuse CASCADE")

    (run,) = parts.records.runs(scope.tenant, most=10, task=id_)
    assert run.outcome == "dead"
    assert task["exception"] == f"Buried('1 dead: nothing new (everyday, run {run.run}, scope {scope.id})')"


def test_a_task_that_waits_for_postgres_is_retried(station: Station, board: Board, scope: Scope) -> None:
    station.postgres.kill()
    bell, told = ring(station, PREPARE, scope), tell(station, scope, {"content": WORDS})

    assert "Unavailable" in board.until(bell, "RETRY")["exception"]
    assert "Unavailable" in board.until(told, "RETRY")["exception"]
    station.postgres.start()
    assert board.until(told, "SUCCESS")["result"] == f"'ok: 1 stored of 1 episode (scope {scope.id})'"


def test_the_worker_answers_flowers_inspection(station: Station, board: Board) -> None:
    asked = station.until(lambda: board.ask("workers?refresh=1"), "Flower answers")

    assert [each["name"] for each in asked[node_name()]["active_queues"]] == [
        queue.QUEUE,
        queue.ASK_QUEUE,
        worker_direct(node_name()).name,
    ]
    with station.client() as line:
        assert line.llen(queue.MALFORMED) == 0


def test_a_malformed_message_is_a_failed_task(station: Station, board: Board) -> None:
    station.send("garbage")

    def red() -> list[str]:
        buried = [task for task in board.tasks().values() if task["name"] == queue.BURY and task["state"] == "FAILURE"]
        return [task["exception"] for task in buried]

    first, *_ = station.until(red, "a dead letter of the installation is red")
    assert first == "Buried('dead: 1 malformed message, see `slowwave dead-letters list --tenant _system`')"


def test_a_ping_leaves_no_row(station: Station, board: Board, scope: Scope) -> None:
    call = json.loads(envelope({}, args=[node_name()], task=queue.ROLL_CALL))
    with station.client() as line:
        line.lpush(worker_direct(node_name()).name, json.dumps(call))
    signed = "SELECT FROM processes WHERE process = %s"
    station.until(lambda: station.rows(signed, node_name()), "it has signed")
    board.until(tell(station, scope, {"content": WORDS}), "SUCCESS")

    assert queue.ROLL_CALL not in {task["name"] for task in board.tasks().values()}


def test_names_of_users_are_shown_nowhere_without_the_setting(
    station: Station, board: Board, scope: Scope, connected: Connect
) -> None:
    board.until(tell(station, scope, {"content": WORDS}), "SUCCESS")
    board.until(ring(station, PREPARE, scope), "SUCCESS")

    assert scope.user not in json.dumps(board.tasks())
    assert WORDS not in json.dumps(board.tasks())


def test_the_setting_shows_user_names_but_no_words_in_flower(
    mortal_postgres: PostgresServer, mortal_redis: RedisServer, lonely_worker: Process, tmp_path: Path, scope: Scope
) -> None:
    lonely_worker.env["SLOWWAVE_NAMES_IN_FLOWER"] = "true"
    lonely_worker.start()
    station = Station(mortal_postgres, mortal_redis, lonely_worker)
    with beside(station, tmp_path / "flower.log") as board:
        told = board.until(tell(station, scope, {"content": WORDS}), "SUCCESS")
        rung = board.until(ring(station, CONSOLIDATE, scope), "SUCCESS")
        shown = json.dumps(board.tasks())

    named = f"{scope.tenant}/{scope.user}/{scope.agent}/{scope.channel}"
    assert told["result"] == f"'ok: 1 stored of 1 episode ({named})'"
    assert rung["result"] == f"'nothing was due ({named})'"
    assert WORDS not in shown
