"""`slowwave up`: all processes of an installation under one supervisor."""

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType
from typing import TYPE_CHECKING

import click

from slowwave.cli.signals import Flag, endings

if TYPE_CHECKING:
    from slowwave.cli.supervisor import Night

EVERY = ("worker", "scheduler", "poller", "flower")
LOOK_SECONDS = 1.0


def _names(_context: click.Context, _option: click.Parameter, text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    unknown = sorted(set(names) - set(EVERY))
    if unknown or not names:
        raise click.BadParameter(f"expected names out of {', '.join(EVERY)}, got {text!r}")
    return names


@click.command
@click.option(
    "--only",
    default=",".join(EVERY),
    callback=_names,
    metavar="NAMES",
    help="Run only these programs, for example worker,poller.",
)
@click.option("--no-flower", is_flag=True, help="Do not start Flower, a web page about Celery's workers.")
@click.option("--log-here", is_flag=True, help="Write the programs' output to this terminal instead of to log files.")
def up_command(only: list[str], no_flower: bool, log_here: bool) -> None:
    """Run a whole installation: Postgres, Redis, worker, scheduler, Flower, and a poller for overdue work.

    Postgres and Redis are embedded unless SLOWWAVE_URL and SLOWWAVE_BROKER_URL name other servers. The command restarts
    programs that end and workers that hang. Ctrl-C, SIGTERM or a closed terminal shuts everything down cleanly.
    """
    say = click.echo
    say("loading Slowwave")  # the imports take a second
    from slowwave.cli.supervisor import Night
    from slowwave.runtime import clock
    from slowwave.wiring import Settings

    began = clock.monotonic()
    settings = Settings.load()
    names = [name for name in only if not (no_flower and name == "flower")]
    with (
        contextlib.suppress(_Ended),
        _until_signal() as announcer,
        Night.up(settings, only=names, log_here=log_here, wait=False, say=say) as night,
    ):
        _show_folders(night)
        night.wait_until_ready()
        say(f"ready after {clock.monotonic() - began:.1f} s. Ctrl-C ends it.")
        _show_addresses(night)
        announcer.starting = False
        while not announcer.event.wait(LOOK_SECONDS):
            night.require_threads()
        say("shutting down: running work finishes first")
    say("ended")


def _show_folders(night: "Night") -> None:
    for server in night.servers:
        click.echo(f"  {server.name.lower():<10} {server.folder}")
    for child in night.supervisor.children.values():
        click.echo(f"  {child.program.name:<10} {child.log or 'logs here'}")


def _show_addresses(night: "Night") -> None:
    """Print the addresses that an agent needs, with masked passwords in configured addresses."""
    from slowwave.broker import queue
    from slowwave.cli.addresses import without_password
    from slowwave.wiring import secret

    broker = without_password(night.broker_url)
    click.echo("Agents of this user connect with")
    click.echo(f"  export SLOWWAVE_URL='{without_password(night.url)}'")
    click.echo(f"  export SLOWWAVE_BROKER_URL='{broker}'")
    if cache := secret(night.settings.cache_url):
        click.echo(f"  export SLOWWAVE_CACHE_URL='{without_password(cache)}'")
    click.echo(f"  and other clients of Redis with {queue.redis_address(broker)}")
    if night.page:
        click.echo(f"Flower is at {night.page.url}")


class _Ended(BaseException):
    """A shutdown signal arrived during the start."""


class _Announcer:
    def __init__(self) -> None:
        self.event = Flag()
        self.starting = True


@contextlib.contextmanager
def _until_signal() -> Iterator[_Announcer]:
    """Give an event that a shutdown signal sets; during the start, the signal raises `_Ended` instead."""
    announcer = _Announcer()

    def tell(_number: int, _frame: FrameType | None) -> None:
        first = not announcer.event.is_set()
        announcer.event.set()
        if announcer.starting and first:
            raise _Ended

    before = {number: signal.signal(number, tell) for number in endings()}
    try:
        yield announcer
    finally:
        announcer.starting = False
        for number, handler in before.items():
            signal.signal(number, handler)
