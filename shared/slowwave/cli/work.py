"""`slowwave work`: the worker loop and the scheduler tick in one process, without Celery."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar

import click
import structlog

from slowwave import wiring
from slowwave.cli.addresses import without_password
from slowwave.cli.signals import ending
from slowwave.domain.run import Report
from slowwave.errors import Conflict, Unavailable
from slowwave.formatting import counted
from slowwave.jobs.run import Series
from slowwave.memory import due_work
from slowwave.runtime import clock
from slowwave.telemetry import logs
from slowwave.threads import Pause, Repeat, keep_pauses_short
from slowwave.wiring import Settings

T = TypeVar("T")
LONGEST_WAIT_SECONDS = 30.0
"""The longest pause of a worker before it tries again to reach an unreachable database."""
AWAY_SECONDS = 5.0
"""The pause before a worker tries a cell again that it could not reach."""
ENDS = {
    "ok": "done",
    "narrowed": "will be retried with fewer episodes",
    "dead": "ended in a dead letter (`slowwave dead-letters list`)",
    "failed": "failed (`slowwave runs`)",
    "fenced": "taken over by another worker",
    "conflict": "given back: another worker was first",
    "unavailable": "given back: a service was unavailable",
}


@click.command
@click.option(
    "--overdue",
    type=click.FloatRange(min=0),
    default=0.0,
    metavar="SECONDS",
    help="Take only work that has been due for more seconds than this; for polling beside Celery workers.",
)
@click.option("--until-idle", is_flag=True, help="Exit when no work is due.")
def work_command(overdue: float, until_idle: bool) -> None:
    """Do due work without Celery.

    This worker needs only the library. It claims and runs due work, and fires due schedules, on the Postgres of
    SLOWWAVE_URL or the embedded Postgres. Any number of such workers may run, also beside Celery workers. SIGTERM,
    Ctrl-C and a closed terminal stop the worker cleanly: it finishes its run, or releases the work after a timeout.
    """
    settings = Settings.load()
    logs.configure(settings.log_level, process="poller" if overdue else "work")
    stop = threading.Event()
    with ending(stop):
        try:
            parts = wiring.open_parts(settings)
        except Unavailable:
            if stop.is_set():
                return
            raise
        keep_pauses_short()
        click.echo(f"ready: works on {_database(settings)}; Ctrl-C ends it")
        say = structlog.get_logger("slowwave.work").info
        try:
            with (
                _model_calls(parts, settings, stop, say),
                _webhook_deliveries(parts, settings, stop, say),
                _worker(parts, wiring.owner_name("poll" if overdue else "work"), overdue) as worker,
            ):
                outcomes = poll(
                    worker,
                    stop=stop,
                    poll_seconds=settings.poll_seconds,
                    tick_seconds=settings.tick_seconds,
                    until_idle=until_idle,
                    say=say,
                )
            cells = parts.each_cell().values() if until_idle else ()
            waiting = sum(due_work.count_pending_requests(cell) for cell in cells)
        finally:
            parts.close()
    click.echo(_in_words(outcomes))
    if waiting:
        click.echo(f"{waiting} request{'' if waiting == 1 else 's'} to a model pending (`slowwave status`)")


class Worker(Protocol):
    """The steps of a poll loop. Every method raises `Unavailable` when the database is unreachable."""

    def tick(self) -> object:
        """Fire the schedules that are due."""

    def work(self) -> Report | None:
        """Do the next due run, if there is one."""

    def due(self) -> bool:
        """Return whether any work is due or running."""


def poll(
    worker: Worker,
    *,
    stop: threading.Event,
    poll_seconds: float,
    tick_seconds: float,
    until_idle: bool = False,
    say: Callable[[str], None],
) -> Counter[str]:
    """Work until *stop* is set, or with *until_idle* until no work is due; return the number of runs by outcome.

    The loop polls every *poll_seconds* while no work is due, and ticks every *tick_seconds*. The loop calls *say* once
    when the database becomes unreachable, and once when the database is back. Meanwhile the pauses grow.
    """
    outcomes: Counter[str] = Counter()
    next_tick, away = clock.monotonic(), False
    pause = Pause(poll_seconds, LONGEST_WAIT_SECONDS)
    while not stop.is_set():
        try:
            if clock.monotonic() >= next_tick:
                worker.tick()
                next_tick = clock.monotonic() + tick_seconds
            report = worker.work()
            idle = until_idle and report is None and not worker.due()
        except (Unavailable, Conflict) as error:
            if not away:
                say(f"waiting: {error.message}")
            away = True
            stop.wait(pause.seconds)
            pause.double()
            continue
        if away:
            say("the database is back")
            away = False
            pause.reset()
        if idle:
            break
        if report is None:
            stop.wait(poll_seconds)
        else:
            outcomes[report.outcome] += 1
    return outcomes


@contextmanager
def _model_calls(
    parts: wiring.Parts, settings: Settings, stop: threading.Event, say: Callable[[str], None]
) -> Iterator[None]:
    """While the block runs, make pending model calls with the configured concurrency, if a model is configured."""
    with ExitStack() as askers:
        for number in range(settings.model_slots if parts.provider and parts.asking else 0):
            owner = wiring.owner_name(f"ask{number}")
            action = partial(due_work.send_all_requests, parts, owner=owner, stop=stop)
            askers.enter_context(Repeat(action, pause=lambda: settings.poll_seconds, name="ask", say=say))
        yield
        stop.set()


@contextmanager
def _webhook_deliveries(
    parts: wiring.Parts, settings: Settings, stop: threading.Event, say: Callable[[str], None]
) -> Iterator[None]:
    """While the block runs, deliver deltas to webhooks on a separate thread, so that a slow receiver delays no run."""
    action = partial(due_work.deliver_all, parts, stop=stop)
    with Repeat(action, pause=lambda: settings.poll_seconds, name="deliver", say=say):
        yield
        stop.set()


def _in_words(outcomes: Mapping[str, int]) -> str:
    """Return the counts of runs by outcome, as a sentence.

    >>> _in_words({"ok": 2, "dead": 1})
    'did 3 runs: 2 done, 1 ended in a dead letter (`slowwave dead-letters list`)'
    """
    total = sum(outcomes.values())
    if not total:
        return "did no run: nothing was due"
    ends = ", ".join(f"{count} {ENDS.get(outcome, outcome)}" for outcome, count in outcomes.items())
    return f"did {counted(total, 'runs')}: {ends}"


def _database(settings: Settings) -> str:
    if settings.url is None:
        return f"the cells of {settings.cells}" if settings.cells else f"the embedded Postgres in {settings.home}"
    return without_password(settings.url.get_secret_value())


@dataclass(frozen=True, slots=True)
class _Poller:
    parts: wiring.Parts
    owner: str
    overdue_seconds: float
    series: Series | None = None

    def tick(self) -> object:
        return due_work.tick(self.parts, by=self.owner)

    def work(self) -> Report | None:
        if self.overdue_seconds and not due_work.is_due(self.parts):  # the packs are not loaded to find nothing
            return None
        return due_work.run_next(
            self.parts, owner=self.owner, overdue_seconds=self.overdue_seconds, own_process=True, series=self.series
        )

    def due(self) -> bool:
        # in this order: a reply that arrives after the first check becomes work that the second check finds
        return due_work.model_calls_due(self.parts) or due_work.is_due(self.parts)


@contextmanager
def _worker(parts: wiring.Parts, owner: str, overdue_seconds: float) -> Iterator[Worker]:
    with ExitStack() as stack:

        def poller(cell: wiring.Parts) -> _Poller:
            return _Poller(cell, owner, overdue_seconds, stack.enter_context(due_work.series(cell)))

        yield poller(parts) if parts.cells is None else _EveryCell(parts, poller)


class _EveryCell:
    """The pollers of all cells, each made when its cell is first seen. They take turns.

    An unreachable cell does not stop the others, and is tried again after a pause.
    """

    def __init__(self, parts: wiring.Parts, made: Callable[[wiring.Parts], _Poller]) -> None:
        self._parts, self._made = parts, made
        self._pollers: dict[str, _Poller] = {}
        self._away: dict[str, float] = {}

    def tick(self) -> object:
        return self._first(lambda poller: poller.tick() and None)

    def work(self) -> Report | None:
        return self._first(_Poller.work)

    def due(self) -> bool:
        return self._first(lambda poller: poller.due() or None) is not None

    def _first(self, step: Callable[[_Poller], T | None]) -> T | None:
        """Return the first result of *step*, of one cell after the other. Raises `Unavailable` if no cell answers."""
        for name, cell in self._parts.each_cell().items():
            if name not in self._pollers:
                self._pollers[name] = self._made(cell)
        answered, trouble = False, Unavailable("no cell can be reached")
        for name in list(self._pollers):
            if clock.monotonic() < self._away.get(name, 0.0):
                continue
            self._pollers[name] = self._pollers.pop(name)  # the next turn begins with another cell
            try:
                found = step(self._pollers[name])
            except Unavailable as error:
                trouble, self._away[name] = error, clock.monotonic() + AWAY_SECONDS
                continue
            answered = True
            if found is not None:
                return found
        if not answered:
            raise trouble
        return None
