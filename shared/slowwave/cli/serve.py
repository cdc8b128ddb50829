"""`slowwave serve`: the HTTP API."""

import contextlib
import signal
import webbrowser
from collections.abc import Iterator
from types import FrameType
from typing import Any

import click

from slowwave.cli.signals import endings
from slowwave.errors import Incorrect
from slowwave.runtime.extras import needed
from slowwave.telemetry import logs
from slowwave.threads import keep_pauses_short
from slowwave.wiring import Settings

LOOPBACK = ("127.0.0.1", "::1", "localhost")
GRACE_SECONDS = 8
"""Seconds that running requests get to finish. Container engines kill after ten seconds or more."""


@click.command
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="The address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=8080, show_default=True, help="The port; 0 picks a free one."
)
@click.option("--keys", is_flag=True, help="Also require keys with the embedded Postgres.")
@click.option("--open", "browser", is_flag=True, help="Open the viewer in a browser.")
def serve_command(host: str, port: int, keys: bool, browser: bool) -> None:
    """Serve the HTTP API, and the viewer at /viewer, on the Postgres of SLOWWAVE_URL or on the embedded Postgres.

    Clients send `Authorization: Bearer KEY`, with a key of `slowwave keys create`. With the embedded Postgres, programs
    on this host need no key. SIGTERM and Ctrl-C stop the server after the running requests.
    """
    with needed():
        import uvicorn

        from slowwave.api.app import create_app
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
        app = create_app(memory, keyless=keyless)
        config = uvicorn.Config(
            app, host=host, port=port, log_config=None, access_log=False, timeout_graceful_shutdown=GRACE_SECONDS,
            server_header=False,
        )  # fmt: skip
        server = uvicorn.Server(config)
        with _announce_when_listening(server, keyless, browser=browser):
            server.run()
    click.echo("ended")


@contextlib.contextmanager
def _announce_when_listening(server: Any, keyless: bool, *, browser: bool) -> Iterator[None]:
    """Print the address of *server* when it is ready, and whether it needs keys; stop it cleanly on a signal.

    With *browser*, open the viewer.
    """
    startup = server.startup

    async def announce(sockets: Any = None) -> None:
        await startup(sockets)
        keep_pauses_short()
        for each in server.servers:
            for one in each.sockets:
                host, port = one.getsockname()[:2]
                address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
                click.echo(f"ready: serves {address}, the viewer at /viewer, the API reference at /docs")
                if browser:
                    webbrowser.open(f"{address}/viewer")
        if keyless:
            click.echo("NO KEY IS REQUIRED: every program on this host may read and write; --keys requires one")
        else:
            click.echo("a key is required: `slowwave keys create NAME` makes one")

    def end(_number: int, _frame: FrameType | None) -> None:
        server.should_exit = True

    server.startup = announce
    before = {number: signal.signal(number, end) for number in endings()}  # uvicorn passes signals on to these
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
