"""`slowwave up`: everything an installation needs, under one supervisor."""

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType
from typing import TYPE_CHECKING

import click

from slowwave.cli.signals import endings

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
@click.option("--only", default=",".join(EVERY), callback=_names, metavar="NAMES", help="Run some of it: worker,poller")
@click.option("--no-flower", is_flag=True, help="Do without Flower, the page that shows Celery at work.")
@click.option("--log-here", is_flag=True, help="Write the programs' output here rather than to files in the home.")
def command(only: list[str], no_flower: bool, log_here: bool) -> None:
    """Run everything here: Postgres, Redis, worker, scheduler, poll fallback and Flower.

    Postgres and Redis are the embedded ones unless SLOWWAVE_URL and SLOWWAVE_BROKER_URL name others. What ends is
    started again, and so is a worker that hangs. Ctrl-C, SIGTERM or a closed terminal ends all of it in good order.
    """
    say = click.echo
    say("loading Slowwave")  # what follows takes a second to import
    from slowwave import clock
    from slowwave.cli.supervisor import Night
    from slowwave.wiring import Settings

    began = clock.monotonic()
    settings = Settings.load()
    names = [name for name in only if not (no_flower and name == "flower")]
    with (
        contextlib.suppress(_Ended),
        _until_told() as told,
        Night.up(settings, only=names, log_here=log_here, wait=False, say=say) as night,
    ):
        _show_folders(night)
        night.wait_until_ready()
        say(f"ready after {clock.monotonic() - began:.1f} s. Ctrl-C ends it.")
        _show_addresses(night)
        told.starting = False
        while not told.event.wait(LOOK_SECONDS):
            night.require_threads()
        say("ending: what runs is finished first")
    say("ended")


def _show_folders(night: "Night") -> None:
    for server in night.servers:
        click.echo(f"  {server.name.lower():<10} {server.folder}")
    for child in night.supervisor.children.values():
        click.echo(f"  {child.program.name:<10} {child.log or 'logs here'}")


def _show_addresses(night: "Night") -> None:
    """Print what an agent needs to reach us; of an address somebody else has set, all but its password."""
    from slowwave import queue
    from slowwave.cli.addresses import without_password
    from slowwave.wiring import secret

    broker = without_password(night.broker_url)
    click.echo("An agent of this user reaches it with")
    click.echo(f"  SLOWWAVE_URL={without_password(night.url)}")
    click.echo(f"  SLOWWAVE_BROKER_URL={broker}")
    if cache := secret(night.settings.cache_url):
        click.echo(f"  SLOWWAVE_CACHE_URL={without_password(cache)}")
    click.echo(f"  and other clients of Redis with {queue.redis_address(broker)}")
    if night.page:
        click.echo(f"Flower is at {night.page.url}")


class _Ended(BaseException):
    """We were told to end before everything was up."""


class _Told:
    def __init__(self) -> None:
        self.event = threading.Event()
        self.starting = True


@contextlib.contextmanager
def _until_told() -> Iterator[_Told]:
    """Give an event that a signal to end sets; while things are starting, the signal unwinds them instead."""
    told = _Told()

    def tell(_number: int, _frame: FrameType | None) -> None:
        first = not told.event.is_set()
        told.event.set()
        if told.starting and first:
            raise _Ended

    before = {number: signal.signal(number, tell) for number in endings()}
    try:
        yield told
    finally:
        told.starting = False
        for number, handler in before.items():
            signal.signal(number, handler)
