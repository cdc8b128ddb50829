"""The supervisor with real processes: it restarts ended ones, kills hanging ones, and leaves none behind."""

import contextlib
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg
import pytest
import redis
from pydantic import SecretStr

from slowwave.cli.supervisor import Night, Program, Supervisor
from slowwave.cli.supervisor.programs import FLOWER, POLLER, WORKER, flower, listener, programs
from slowwave.cli.supervisor.servers import private_folder
from slowwave.cli.up import EVERY
from slowwave.client import QueueClient
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.embedded_services import PostgresServer, RedisServer
from slowwave.errors import Incorrect
from slowwave.settings import Settings
from slowwave.wiring.model_client import provider_of
from tests.faults.rig.processes import Process, plain_environment, python, running, until

DEADLINE_SECONDS = 60.0
STRAY = (
    "import subprocess, sys, time; subprocess.Popen(['sleep', sys.argv[1]], start_new_session=True); time.sleep(600)"
)


def belonging_to(mark: str) -> list[psutil.Process]:
    """Every process with *mark* in its command or environment; `info` keeps what was read while it lived."""
    return [
        process
        for process in psutil.process_iter(["cmdline", "environ", "ppid"])
        if mark in " ".join([*(process.info["cmdline"] or ()), *(process.info["environ"] or {}).values()])
    ]


def stray(number: str) -> Program:
    """A program that starts another, in a session of its own, and waits."""
    return Program("stray", (sys.executable, "-c", STRAY, number), {"MARK": number})


class TestPrograms:
    def test_a_program_that_ends_is_restarted_after_a_pause(self, tmp_path: Path) -> None:
        said: list[str] = []
        program = Program("brief", ("sh", "-c", "echo started; exit 3"))
        supervisor = Supervisor([program], logs=tmp_path, say=said.append)
        supervisor.start()
        try:
            until(lambda: supervisor.children["brief"].starts >= 3, "the program was not started again")
        finally:
            supervisor.stop()
        assert (tmp_path / "brief.log").read_text().count("started") >= 2
        assert said[0].startswith("brief ended with status 3 and is restarted")

    @pytest.mark.parametrize("how", ["stopped", "killed"])
    def test_no_child_process_outlives_its_program(self, how: str) -> None:
        mark = f"{600 + os.getpid()}.{how == 'killed':d}1"
        supervisor = Supervisor([stray(mark)], logs=None, say=lambda _: None)
        supervisor.start()
        try:
            until(lambda: len(belonging_to(mark)) >= 3, "keeper, program and stray did not start")
            before = {process.pid for process in belonging_to(mark)}
            if how == "killed":
                supervisor.kill("stray")
                until(lambda: not before & {p.pid for p in belonging_to(mark)}, "the kill has left something behind")
        finally:
            supervisor.stop()
        assert not belonging_to(mark)

    @pytest.mark.accept
    def test_no_program_outlives_a_killed_supervisor(self) -> None:
        mark = f"{600 + os.getpid()}.21"
        program = stray(mark)
        code = f"""
import time
import uuid
from slowwave.cli.supervisor import Program, Supervisor
program = Program("stray", {program.command!r}, {dict(program.environment)!r})
Supervisor([program], logs=None, say=print).start()
time.sleep(600)
"""
        supervisor = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
        try:
            until(lambda: len(belonging_to(mark)) >= 4, "supervisor, keeper, program and stray did not start")
        finally:
            supervisor.kill()
            supervisor.wait()
        until(lambda: not belonging_to(mark), "something outlived the supervisor")


@pytest.fixture
def night_settings(settings: Settings, home: Path) -> Settings:
    return settings.model_copy(
        update={"home": home, "stall_seconds": 2.0, "overdue_seconds": 0.5, "worker_processes": 1}
    )


def frozen_worker(night: Night) -> int:
    """Stop the worker and its group by a signal, like a hang; return its id."""
    pid = night.supervisor.children[WORKER].pid
    assert pid is not None
    os.killpg(pid, signal.SIGSTOP)
    return pid


def push(night: Night, scope: Scope) -> None:
    with contextlib.closing(night.connect()) as parts:
        parts.push(scope, [Episode(content="I moved to Oslo.")])


def prepared_by(night: Night, scope: Scope) -> str | None:
    """Push an episode once, and return the process that prepared it."""
    with psycopg.connect(night.url, options="-c role=slowwave_dispatch") as connection:
        row = connection.execute("SELECT owner FROM runs WHERE scope = %s AND outcome = 'ok'", [scope.id]).fetchone()
    return str(row[0]) if row else None


@pytest.mark.accept
class TestWatchdog:
    def test_a_hung_worker_is_restarted_and_works(self, night_settings: Settings, scope: Scope) -> None:
        said: list[str] = []
        with Night.up(night_settings, only=[WORKER], say=said.append) as night:
            hung, worker = frozen_worker(night), night.supervisor.children[WORKER]
            until(lambda: not psutil.pid_exists(hung) and worker.pid, "the hung worker was not replaced")

            push(night, scope)
            until(lambda: prepared_by(night, scope), "the new worker does no work")

            assert worker.pid != hung
            assert any(sentence.startswith("worker hangs") for sentence in said)

    def test_the_poll_fallback_works_without_the_watchdog(self, night_settings: Settings, scope: Scope) -> None:
        blind = night_settings.model_copy(update={"stall_seconds": 3600.0})
        with Night.up(blind, only=[WORKER, POLLER]) as night:
            hung = frozen_worker(night)
            push(night, scope)
            until(lambda: prepared_by(night, scope), "the poll fallback did not do the work")

            assert (prepared_by(night, scope) or "").startswith("poll@")
            assert night.supervisor.children[WORKER].pid == hung
            assert psutil.Process(hung).status() == psutil.STATUS_STOPPED
            night.supervisor.kill(WORKER)  # otherwise the grace period would pass


def require_reachable(said: str) -> None:
    """Connect to each address that `up` prints, with its client."""
    found = dict(
        re.findall(
            r"(SLOWWAVE_URL|SLOWWAVE_BROKER_URL|SLOWWAVE_CACHE_URL|clients of Redis)(?:=| with )'?([^\s']+)", said
        )
    )
    with psycopg.connect(found["SLOWWAVE_URL"]) as connection:
        assert connection.execute("SELECT current_user").fetchone() == ("slowwave",)
    with QueueClient(found["SLOWWAVE_BROKER_URL"]) as client:
        assert client.scope("ana").push("I live in Oslo.").state == "queued"
    for address in ("SLOWWAVE_CACHE_URL", "clients of Redis"):
        with redis.Redis.from_url(found[address]) as plain:
            assert plain.ping()


def answers(home: Path) -> bool:
    """Return whether the embedded Postgres of *home* accepts connections."""
    with contextlib.suppress(psycopg.OperationalError), psycopg.connect(PostgresServer(home / "postgres").url()):
        return True
    return False


@contextlib.contextmanager
def without_descriptors(pid: int) -> Iterator[None]:
    """Set the limit of open files of a process to its current number during the block."""
    soft, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, hard))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (soft, hard))


def worker_pid(home: Path) -> int | None:
    """Return the id of the Celery worker of *home*: the parent of its children."""
    found = [process for process in belonging_to(str(home)) if "worker.app" in (process.info["cmdline"] or ())]
    parents = {process.info["ppid"] for process in found}
    return next((process.pid for process in found if process.pid in parents), None)


@contextlib.contextmanager
def up(home: Path, *options: str, **variables: str) -> Iterator[Process]:
    """Run `slowwave up` on *home* during the block."""
    variables |= {"SLOWWAVE_HOME": str(home), "SLOWWAVE_WORKER_PROCESSES": "1", "PYTHONUNBUFFERED": "1"}
    log = home.with_name(f"{uuid.uuid4()}.log")
    with running(Process(python("slowwave.cli", "up", *options), plain_environment(**variables), log)) as process:
        yield process


def says(process: Process, wanted: str) -> str:
    """Return the output of a process once it contains *wanted*."""
    until(lambda: wanted in process.log.read_text() or not process.running, f"it says {wanted}", otherwise=process.said)
    assert wanted in process.log.read_text(), process.said()
    return process.log.read_text()


def ends(process: Process) -> bool:
    """Return whether a process succeeded, once it has ended."""
    until(lambda: not process.running, "it ends", otherwise=process.said)
    return process.succeeded


def server(home: Path, name: str) -> int | None:
    """Return the id of the embedded server that runs in *home*."""
    with contextlib.suppress(OSError, ValueError):
        number = int((home / name / "server.pid").read_text())
        return number if psutil.pid_exists(number) else None
    return None


@pytest.mark.accept
@pytest.mark.usefixtures("hears_hangups")
@pytest.mark.timeout(300)  # three supervisors start, one after the other
def test_up_restarts_its_services_and_leaves_no_process_even_when_killed(home: Path) -> None:
    with up(home, "--only", "worker,poller") as first:
        said = says(first, "other clients of Redis")
        assert said.splitlines()[:2] == [
            "loading Slowwave",
            f"starting the embedded Postgres and Redis in {home}",
        ]
        assert "worker.log" in said
        require_reachable(said)
        for name in ("redis", "postgres"):
            before = server(home, name)
            kill(before)
            until(lambda name=name, before=before: server(home, name) not in (None, before), f"{name} stays away")  # type: ignore[misc]

        with contextlib.closing(socket.socket()) as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = str(taken.getsockname()[1])
            with up(home, "--only", "poller,flower", SLOWWAVE_FLOWER_PORT=port) as second:
                assert not ends(second), "two supervisors in one home"
        complaint = f"`slowwave up` is already running for {home} as process {first.pid}"
        assert second.log.read_text().splitlines()[1] == complaint

        until(lambda: answers(home), "Postgres does not answer")
        worker = worker_pid(home)
        with without_descriptors(first.pid):
            kill(worker)
            kill(server(home, "redis"))
            says(first, "worker cannot be started ([Errno 24] Too many open files); retried in")
            says(first, "Redis cannot be checked: [Errno 24]")
        until(lambda: worker_pid(home) not in (None, worker), "the worker is not started again")
        until(lambda: server(home, "redis"), "Redis is not started again")

        first.ask(signal.SIGHUP)  # its terminal was closed
        assert ends(first)
        assert not belonging_to(str(home))

    with up(home, "--only", "worker") as killed:
        says(killed, "ready")
        killed.kill()
        until(lambda: not belonging_to(str(home)), "something outlived the supervisor")


def kill(pid: int | None) -> None:
    assert pid is not None
    os.kill(pid, signal.SIGKILL)


@pytest.mark.accept
@pytest.mark.parametrize("method", ["installation.Watchdog.look", "supervisor.Supervisor._look_at_all"])
def test_an_ended_thread_ends_the_process(home: Path, url: str, owner_url: str, method: str) -> None:
    code = f"""
import sys
import uuid
from slowwave.cli import main
from slowwave.cli.supervisor import installation, supervisor
{method} = lambda self: sys.exit("without a word")
main(["up", "--only", "poller"])
"""
    variables = {"SLOWWAVE_URL": url, "SLOWWAVE_OWNER_URL": owner_url, "SLOWWAVE_HOME": str(home)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=DEADLINE_SECONDS,
    )
    what = "progress" if "look_at_all" not in method else "programs"
    assert done.returncode == 1, done.stdout
    assert done.stderr.startswith(f"the thread that restarts the {what} has ended, so everything shuts down")
    assert not belonging_to(str(home))


@pytest.mark.accept
def test_a_signal_during_startup_ends_all_programs(home: Path) -> None:
    with up(home, "--only", "worker") as process:
        until(lambda: server(home, "postgres"), "Postgres did not start")
        process.ask(signal.SIGTERM)
        assert ends(process), process.said()
        assert not belonging_to(str(home))


def test_a_program_gets_the_secrets_it_needs_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = {"url": "postgresql://a:one@h/d", "owner_url": "postgresql://b:two@h/d"}
    secrets |= {"broker_url": "redis://:three@h/0", "cache_url": "redis://:four@h/1"}
    for name, value in secrets.items():
        monkeypatch.setenv(f"SLOWWAVE_{name.upper()}", value)

    for program in programs(Settings.load(), EVERY, {}):
        with monkeypatch.context() as child:
            for name, value in program.environment.items():
                child.setenv(name, value)  # on top of the supervisor's own, as a child has it
            known = {name for name in secrets if getattr(Settings.load(), name) is not None}
        assert known == ({"broker_url"} if program.name == FLOWER else {"url", "broker_url", "cache_url"}), program.name


def test_an_unset_setting_stays_unset_for_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLOWWAVE_EXTRACTION_MODEL", "mute")
    for program in programs(Settings.load(), EVERY, {}):
        with monkeypatch.context() as child:
            for name, value in program.environment.items():
                child.setenv(name, value)
            told = Settings.load()
        assert (told.extraction_model, provider_of(told)) == ("mute", None), program.name


def test_a_folder_of_logs_that_was_open_is_closed(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir(mode=0o755)
    (tmp_path / "logs").chmod(0o755)

    assert private_folder(tmp_path / "logs").stat().st_mode & 0o777 == 0o700


def test_a_taken_port_disables_only_flower(settings: Settings, tmp_path: Path) -> None:
    said: list[str] = []
    with stranger(tmp_path, {}) as (port, process):
        busy = settings.model_copy(update={"flower_port": port})
        assert flower(busy, said.append) is None
    assert said == [
        f"port {port} is taken by celery flower (process {process}): Flower is not started; "
        "choose another port in SLOWWAVE_FLOWER_PORT"
    ]


def test_a_taken_port_names_its_process_and_home(tmp_path: Path) -> None:
    with stranger(tmp_path, {"SLOWWAVE_HOME": "/home/nora/.local/share/slowwave"}) as (port, process):
        assert listener(port) == f"celery flower of /home/nora/.local/share/slowwave (process {process})"
    with socket.socket() as own:
        own.bind(("127.0.0.1", 0))
        own.listen()
        assert str(listener(own.getsockname()[1])).endswith(f" (process {os.getpid()})")
    assert listener(port) is None


@contextlib.contextmanager
def stranger(folder: Path, variables: dict[str, str]) -> Iterator[tuple[int, int]]:
    """A process that looks like the Flower of another home; its port and its id."""
    serves = "import socket, time\ns = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()\n"
    (folder / "celery.py").write_text(serves + "print(s.getsockname()[1], flush=True); time.sleep(600)\n")
    command, env = python("celery", "-A", "worker.app", "flower"), plain_environment(**variables)
    with subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield int(process.stdout.readline()), process.pid
        finally:
            process.kill()


@pytest.mark.accept
def test_a_worker_refuses_a_broker_that_may_forget(settings: Settings, home: Path) -> None:
    with RedisServer(home / "redis", durable=False, settings={"maxmemory-policy": "allkeys-lru"}) as server:
        forgetful = settings.model_copy(update={"broker_url": SecretStr(server.broker_url), "home": home})
        with pytest.raises(Incorrect, match="allkeys-lru"), Night.up(forgetful, only=[WORKER]):
            pass
        (worker,) = programs(forgetful, [WORKER], {})
        environment = {**os.environ, **worker.environment}
        done = subprocess.run(worker.command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "may evict messages" in done.stderr
