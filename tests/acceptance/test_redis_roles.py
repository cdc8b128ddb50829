"""The Redis users of the containers on a real server: each has the commands it needs, and no others."""

import contextlib
import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
import redis
from redis.exceptions import NoPermissionError

from slowwave import QueueClient, celery_app, wiring
from slowwave.broker import queue
from slowwave.cache import RedisCache
from slowwave.domain.job_table import ASK
from slowwave.domain.scope import Scope
from slowwave.domain.working_memory import Conversation
from slowwave.errors import Unavailable
from slowwave.memory import due_work
from tests.faults.rig.processes import Process, celery, celery_beat, free_port, plain_environment, running, until

pytestmark = pytest.mark.accept
SHIPPED = Path(__file__).parents[2] / "ops" / "redis"
WITNESS = "user witness reset on nopass ~* &* +@all\n"
"""A user for the tests, which reads the server's log of refused commands."""
CLIENTS = {"kitchen": "one-ki7chen", "garage": "one-g4rage"}


@dataclass(frozen=True)
class Server:
    """A running Redis with the shipped users."""

    port: int
    process: Process

    def url(self, user: str) -> str:
        return f"redis://{user}:{CLIENTS.get(user, f'of-{user}')}@127.0.0.1:{self.port}/0"

    def client(self, user: str) -> "redis.Redis":
        return queue.redis_client(self.url(user))

    def refused(self) -> list[tuple[str, str, str]]:
        """Return who was refused which command on what, and forget it."""
        with self.client("witness") as witness:
            found = {(one["username"], one["object"], one["reason"]) for one in witness.acl_log()}
            witness.acl_log_reset()
        return sorted(found)


@contextlib.contextmanager
def started(kind: str, programs: Path, folder: Path) -> Iterator[Server]:
    """Run the Redis of this *kind* as its container does, from the shipped files."""
    settings, secrets = folder / "settings", folder / "secrets"
    shutil.copytree(SHIPPED, settings)
    with (settings / f"{kind}.acl").open("a", encoding="utf-8") as users:
        users.write(WITNESS)
    secrets.mkdir()
    for role in ("api", "worker", "scheduler", "flower", "cache"):
        (secrets / f"redis_{role}").write_text(f"of-{role}\n")
    (secrets / "redis_clients").write_text(" ".join(map(":".join, CLIENTS.items())))
    port = free_port()
    environment = {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "SLOWWAVE_REDIS": str(settings),
        "SLOWWAVE_SECRETS": str(secrets),
    }
    command = [str(settings / "start.sh"), kind, "--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder)]
    process = Process(command, environment, folder / "redis.log")
    server = Server(port, process)

    def answers() -> bool:
        with contextlib.suppress(redis.ConnectionError), server.client("health") as health:
            return bool(health.ping())
        return False

    with running(process):
        until(answers, "Redis answers", otherwise=process.said)
        yield server


@pytest.fixture(scope="module")
def broker(modern_redis: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with started("broker", modern_redis, tmp_path_factory.mktemp("broker")) as server:
        yield server


@pytest.fixture
def worker(broker: Server, url: str, parts: wiring.Parts, tmp_path: Path) -> Iterator[Process]:
    """A real Celery worker under the role of workers."""
    process = Process(celery("worker.app", processes=1), known(url, broker.url("worker")), tmp_path / "worker.log")
    with running(process):
        until(lambda: "ready." in process.said() or not process.running, "the worker is ready", otherwise=process.said)
        assert process.running, process.said()
        yield process


def known(url: str, broker_url: str) -> dict[str, str]:
    return plain_environment(SLOWWAVE_URL=url, SLOWWAVE_BROKER_URL=broker_url, SLOWWAVE_WORKER_PROCESSES="1")


def test_a_client_pushes_and_the_worker_stores_and_confirms(
    broker: Server, worker: Process, superuser: psycopg.Connection, tmp_path: Path, scope: Scope
) -> None:
    broker.refused()

    with QueueClient(broker.url("kitchen"), outbox=tmp_path / "outbox.db") as client:
        assert client.scope(scope.user, agent=scope.agent).push("I moved to Oslo").state == "queued"
        until(lambda: not client.outbox.holds(), "the client is told", otherwise=worker.said)

    assert superuser.execute("SELECT content FROM episodes").fetchall() == [("I moved to Oslo",)]
    assert broker.refused() == []


def test_a_worker_and_flower_talk_and_the_scheduler_announces(
    broker: Server, worker: Process, parts: wiring.Parts, url: str, tmp_path: Path, scope: Scope
) -> None:
    broker.refused()
    scheduler = Process(
        celery_beat(),
        {**known(url, broker.url("scheduler")), "SLOWWAVE_TICK_SECONDS": "0.2"},
        tmp_path / "scheduler.log",
    )

    with running(scheduler):
        parts.push(scope, [{"content": "I moved to Oslo"}])
        due_work.fire(parts, scope.id)
        until(
            lambda: not due_work.is_due(parts),
            "what is due is done",
            otherwise=lambda: scheduler.said() + worker.said(),
        )
    flower = celery_app.configure(broker.url("flower"))
    answers = flower.control.ping(timeout=20, limit=1)

    assert [list(answer.values()) for answer in answers] == [[{"ok": "pong"}]]
    assert broker.refused() == []


FORBIDDEN: dict[str, Callable[["redis.Redis"], object]] = {
    "read another's receipts": lambda client: client.lpop("slowwave.receipts.garage_1"),
    "write receipts": lambda client: client.lpush("slowwave.receipts.garage_1", "x"),
    "take messages": lambda client: client.lpop("slowwave"),
    "look at messages": lambda client: client.lrange("slowwave", 0, -1),
    "count messages of others": lambda client: client.llen("unacked"),
    "forge a worker's queue": lambda client: client.lpush("celery@host.dq", "x"),
    "list keys": lambda client: client.keys("*"),
    "run scripts": lambda client: client.eval("return 1", 0),
    "see who listens": lambda client: client.pubsub_channels(),
    "see other connections": lambda client: client.client_list(),
}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_a_client_role_cannot_run_other_commands(broker: Server, what: str) -> None:
    with broker.client("kitchen") as client, pytest.raises(NoPermissionError):
        FORBIDDEN[what](client)


def test_a_client_takes_its_own_receipts(broker: Server) -> None:
    queue.confirm(broker.url("worker"), "kitchen_1", [(id_ := uuid.uuid4(), None)])

    assert queue.MessageSender(broker.url("kitchen")).confirmed("kitchen_1") == [(id_, None)]
    with pytest.raises(Unavailable, match="NoPermissionError"):
        queue.MessageSender(broker.url("garage")).confirmed("kitchen_1")


def test_the_scheduler_may_announce_model_calls(broker: Server) -> None:
    broker.refused()
    queue.configure(broker.url("scheduler"))
    queue.notify_workers(uuid.uuid4(), ASK)

    assert (queue.depth(queue.ASK_QUEUE), broker.refused()) == (1, [])
    queue.configure(None)


def test_the_api_may_announce_pushes_but_cannot_read_queues(broker: Server) -> None:
    broker.refused()
    queue.configure(broker.url("api"))
    queue.notify_workers(uuid.uuid4(), "consolidate")
    assert broker.refused() == []
    with broker.client("worker") as worker:
        assert worker.llen("slowwave") >= 1
    queue.configure(None)


@pytest.mark.parametrize("role", ["api", "worker", "scheduler", "flower", "kitchen", "health"])
def test_no_role_may_flush_or_configure_redis(broker: Server, role: str) -> None:
    with broker.client(role) as client:
        for command in (["FLUSHALL"], ["CONFIG", "SET", "maxmemory", "1"], ["ACL", "LIST"], ["SHUTDOWN"]):
            with pytest.raises(NoPermissionError):
                client.execute_command(*command)


@pytest.mark.parametrize("role", ["api", "scheduler", "flower"])
def test_a_scheduler_or_api_or_flower_role_cannot_take_messages(broker: Server, role: str) -> None:
    with broker.client(role) as client:
        for take in (client.lpop, client.rpop, client.blpop, client.brpop):
            with pytest.raises(NoPermissionError):
                take("slowwave")
        if role != "api":
            assert client.llen("slowwave") >= 0


def test_redis_refuses_a_connection_without_a_valid_password(broker: Server) -> None:
    for address in (f"redis://127.0.0.1:{broker.port}/0", f"redis://worker:wrong@127.0.0.1:{broker.port}/0"):
        with pytest.raises((redis.AuthenticationError, redis.ResponseError)), queue.redis_client(address) as client:
            client.ping()


def test_redis_passwords_are_not_visible_in_the_process_list(broker: Server) -> None:
    arguments = Path(f"/proc/{broker.process.pid}/cmdline").read_bytes()
    environment = Path(f"/proc/{broker.process.pid}/environ").read_bytes()

    assert b"redis-server" in arguments
    for secret in (b"of-worker", b"of-flower", *(password.encode() for password in CLIENTS.values())):
        assert secret not in arguments + environment


def test_the_cache_role_can_access_only_working_memory(modern_redis: Path, tmp_path: Path) -> None:
    of = Conversation(Scope("default", "alice", "concierge"), "s1")
    with started("cache", modern_redis, tmp_path) as server:
        cache = RedisCache(server.url("cache"))
        cache.append(of, "turns", "1", "hello", seconds=60)
        cache.put(of, "mood", "calm", seconds=60)
        assert [entry.text for entry in cache.entries(of, "turns")] == ["hello"]
        assert (cache.get(of, "mood"), dict(cache.values(of))) == ("calm", {"mood": "calm"})
        assert [entry.text for entry in cache.restore(of, "turns", {"1": "hullo"}, seconds=60)] == ["hullo"]
        assert cache.remove(of, "turns", ["1"]) == 1
        cache.clear_to(of, 7)
        assert cache.cleared(of) == 7
        assert cache.delete(of, "mood")
        cache.clear(of, ["turns"])
        cache.close()
        assert server.refused() == []
        with server.client("cache") as client:
            for forbidden in (lambda: client.get("other"), lambda: client.flushall(), lambda: client.keys("*")):
                with pytest.raises(NoPermissionError):
                    forbidden()  # type: ignore[no-untyped-call]
