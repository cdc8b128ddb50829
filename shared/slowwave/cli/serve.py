"""`slowwave serve`: the HTTP API, in one process or in several."""

import contextlib
import os
import signal
import socket
import sys
import webbrowser
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPException
from types import FrameType
from typing import Any

import click

from slowwave.cli.signals import LOOK_SECONDS, Flag, endings
from slowwave.errors import Fault, Incorrect
from slowwave.runtime.extras import needed
from slowwave.telemetry import logs
from slowwave.threads import keep_pauses_short
from slowwave.wiring import Settings

LOOPBACK = ("127.0.0.1", "::1", "localhost")
GRACE_SECONDS = 8
"""Seconds that running requests get to finish. Container engines kill after ten seconds or more."""
MOST_PROCESSES = 64
SESSIONS = "_SLOWWAVE_SESSIONS"
"""The variable with the address of the viewer's sessions, which the processes of one address share."""
READ_STALE = "SLOWWAVE_READ_STALE_SECONDS"
"""The setting that lets each process read on a replica what the other processes have just written."""
QUEUED = 2048
"""The number of connections that may wait to be accepted."""
AT_ONCE = 1
"""The number of connections that one of several processes accepts before the others have a turn."""


@click.command
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="The address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=8080, show_default=True, help="The port; 0 picks a free one."
)
@click.option(
    "--processes", type=click.IntRange(1, MOST_PROCESSES), metavar="NUMBER",
    help="Processes that answer requests; by default SLOWWAVE_API_PROCESSES, else 1. One process uses about one core.",
)  # fmt: skip
@click.option("--keys", is_flag=True, help="Also require keys with the embedded Postgres.")
@click.option("--open", "browser", is_flag=True, help="Open the viewer in a browser.")
@click.option("--socket", "inherited", type=int, hidden=True, help="The open socket of the processes of one address.")
def serve_command(
    host: str, port: int, processes: int | None, keys: bool, browser: bool, inherited: int | None
) -> None:
    """Serve the HTTP API, and the viewer at /viewer, on the Postgres of SLOWWAVE_URL or on the embedded Postgres.

    Clients send `Authorization: Bearer KEY`, with a key of `slowwave keys create`. With the embedded Postgres, programs
    on this host need no key. SIGTERM and Ctrl-C stop the server after the running requests. With several --processes,
    a process that ends is started again.
    """
    with needed():
        import uvicorn

        from slowwave.api.app import create_app
        from slowwave.api.viewer import sessions_at
    from slowwave.memory import Memory

    settings = Settings.load()
    logs.configure(settings.log_level, process="api")
    keyless = settings.embedded and not keys
    if keyless and host not in LOOPBACK:
        raise Incorrect(
            f"without keys, only programs on this host may connect, but other hosts can reach {host}",
            hint="add --keys, or leave out --host",
        )
    with Memory.connect() as memory:
        wanted = 1 if inherited is not None else processes or settings.api_processes
        if wanted > 1:
            return _serve_with(wanted, host, port, keyless=keyless, browser=browser)
        shared = os.environ.get(SESSIONS)
        app = create_app(memory, keyless=keyless, sessions=sessions_at(shared) if shared else None)
        config = uvicorn.Config(
            app, host=host, port=port, log_config=None, access_log=False, timeout_graceful_shutdown=GRACE_SECONDS,
            server_header=False, backlog=QUEUED if inherited is None else AT_ONCE,
        )  # fmt: skip
        server = uvicorn.Server(config)
        sockets: list[socket.socket] | None = None if inherited is None else [Shared(fileno=inherited)]
        with _announce_when_listening(server, keyless, browser=browser, silent=sockets is not None):
            server.run(sockets)
    if sockets is None:
        click.echo("ended")


def _serve_with(processes: int, host: str, port: int, *, keyless: bool, browser: bool) -> None:
    """Run *processes* that answer the requests of one socket, until a signal. A process that ends is started again.

    The socket stays open if a process is killed, so that only the requests of this process fail.
    """
    from slowwave.api.viewer import shared_sessions
    from slowwave.cli.supervisor import Program, Supervisor

    ended = Flag()
    before = {number: signal.signal(number, ended.set) for number in endings()}
    with listening(host, port) as listener, shared_sessions() as sessions:
        command = [sys.executable, "-P", "-m", "slowwave.cli", "serve", "--host", host, "--port", str(port)]
        words = (*command, "--socket", str(listener.fileno()), *([] if keyless else ["--keys"]))
        programs = [
            Program(f"api process {number}", words, {SESSIONS: sessions, READ_STALE: "0"}, (listener.fileno(),))
            for number in range(1, processes + 1)
        ]
        supervisor = Supervisor(programs, logs=None, say=lambda text: click.echo(text, err=True))
        try:
            supervisor.start()
            if _answers(listener, ended):
                _announce([_address(listener)], keyless, browser=browser)
            while not ended.wait(1.0):
                if not supervisor.alive:
                    raise Fault(
                        "the thread that restarts processes has ended, so everything shuts down",
                        hint="start it again, and please report the messages above",
                    )
        finally:
            supervisor.stop()
            for number, handler in before.items():
                signal.signal(number, handler)
    click.echo("ended")


class Shared(socket.socket):
    """A socket on which several processes listen.

    asyncio uses one number as the length of the queue, and as the number of connections that it accepts at once. If
    that is more than one, a single process takes all connections that come at once.
    """

    def listen(self, _most: int = 0, /) -> None:
        """Leave the length of the queue as it is."""


@contextlib.contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """Give a socket that listens on an address. Raises `Incorrect` if the address cannot be used."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
            listener.listen(QUEUED)
        except OSError as error:
            raise Incorrect(
                f"{host} port {port} cannot be used: {error.strerror}", hint="choose another --port"
            ) from error
        yield listener


def _answers(listener: socket.socket, ended: Flag) -> bool:
    """Wait until a process answers; return False if a signal comes first."""
    host, port = listener.getsockname()[:2]
    while not ended.is_set():
        with (
            contextlib.suppress(HTTPException, OSError),
            contextlib.closing(HTTPConnection(host, port, timeout=5)) as client,
        ):
            client.request("GET", "/health/live")
            return client.getresponse().status == 200
        ended.wait(LOOK_SECONDS)
    return False


def _address(listener: Any) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _announce(addresses: list[str], keyless: bool, *, browser: bool) -> None:
    """Print the addresses of the server, and whether it needs keys. With *browser*, open the viewer."""
    for address in addresses:
        click.echo(f"ready: serves {address}, the viewer at /viewer, the API reference at /docs")
        if browser:
            webbrowser.open(f"{address}/viewer")
    if keyless:
        click.echo("NO KEY IS REQUIRED: every program on this host may read and write; --keys requires one")
    else:
        click.echo("a key is required: `slowwave keys create NAME` makes one")


@contextlib.contextmanager
def _announce_when_listening(server: Any, keyless: bool, *, browser: bool, silent: bool) -> Iterator[None]:
    """Announce *server* when it is ready, unless *silent*; stop it cleanly on a signal."""
    startup = server.startup

    async def announce(sockets: Any = None) -> None:
        await startup(sockets)
        keep_pauses_short()
        if not silent:
            addresses = [_address(one) for each in server.servers for one in each.sockets]
            _announce(addresses, keyless, browser=browser)

    def end(_number: int, _frame: FrameType | None) -> None:
        server.should_exit = True

    server.startup = announce
    before = {number: signal.signal(number, end) for number in endings()}  # uvicorn passes signals on to these
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
