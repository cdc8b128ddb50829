"""The steps of the demo, each with a progress bar: start, push of the sample episodes, night, and report."""

import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from slowwave import wiring
from slowwave.cli.demo import report
from slowwave.cli.demo.report import Change, changes
from slowwave.cli.demo.sample import Line, sample
from slowwave.cli.options import run_now
from slowwave.cli.supervisor import Night
from slowwave.client import QueueClient
from slowwave.domain.dead_letter import DeadLetter
from slowwave.domain.explanation import Explanation
from slowwave.domain.fact import Fact
from slowwave.domain.overview import Overview
from slowwave.domain.receipt import Receipt
from slowwave.domain.recollection import Recollection
from slowwave.domain.scope import Scope
from slowwave.errors import Fault, Incorrect, Unavailable
from slowwave.formatting import seconds
from slowwave.memory import Memory, MemoryScope, due_work
from slowwave.runtime import clock
from slowwave.wiring import Settings

LOOK_SECONDS = 0.1

Advance = Callable[[int], None]
"""A function that takes the amount of a stage that is done so far."""
DEADLINE_SECONDS = 120.0
"""The timeout of a stage. The slowest stage may need this time on a small, busy machine; elsewhere it takes seconds."""
TENANT = "default"
HOME = Scope(TENANT, "nora", "concierge", "home")
KITCHEN = Scope(TENANT, "tomasz", "concierge", "kitchen")
QUESTIONS = ((HOME, "Where does Nora live now?"), (KITCHEN, "Which bread does Tomasz like best?"))


class Stages:
    """Runs stages in sequence, and records the time of each."""

    def __init__(self, console: Console) -> None:
        self.took: dict[str, float] = {}
        self._console = console

    def say(self, sentence: str) -> None:
        """Print a sentence between the stages."""
        self._console.print(sentence)

    @contextmanager
    def stage(self, name: str, *, total: int | None = None) -> Iterator[Advance]:
        """Yield a function that reports how much of *total* is done. Without *total*, there is no progress bar."""
        began = clock.monotonic()
        columns = [SpinnerColumn(), TextColumn("{task.description}"), BarColumn(bar_width=28)]
        columns += [MofNCompleteColumn()] if total is not None else []
        with Progress(
            *columns, TimeElapsedColumn(), console=self._console, transient=True, disable=not self._console.is_terminal
        ) as progress:
            task = progress.add_task(name, total=total)
            yield lambda done: progress.update(task, completed=done)
        self.took[name] = clock.monotonic() - began
        self._console.print(f"{'✓' if self._console.is_terminal else '-'} {name}, {seconds(self.took[name])}")


def wait(look: Callable[[], bool], *, timeout_seconds: float, otherwise: Callable[[], Unavailable]) -> None:
    """Return once *look* returns True. Raises the error from *otherwise* after *timeout_seconds*."""
    end = clock.monotonic() + timeout_seconds
    while not look():
        if clock.monotonic() > end:
            raise otherwise()
        time.sleep(LOOK_SECONDS)


@dataclass(frozen=True, slots=True)
class Morning:
    """The changes, counts, facts and answers after the night."""

    changed: Sequence[Change]
    overview: Overview
    facts: Sequence[tuple[Scope, Fact]]
    answers: Sequence[tuple[Scope, str, Sequence[Recollection]]]
    why: Explanation
    replaced: Sequence[Explanation]
    dead_letters: Sequence[DeadLetter]
    digest: str


def live(console: Console, home: Path, *, most: int | None, afresh: str) -> None:
    """Run the sample and print the results, with at most *most* facts per scope.

    *afresh* is the command that starts over.

    Raises `Unavailable` when a stage times out.
    """
    stages = Stages(console)
    console.print("Three people, two agents, six days, one night. No model, no key, no container.")
    console.print(f"Everything lives in {home}, apart from any memory of yours.", soft_wrap=True)
    console.print()
    with _running(home, stages) as (parts, broker_url):
        before = parts.records.overview(TENANT)
        _push_sample(parts, broker_url, stages)
        _end_session(parts, stages)
        _run_night(parts, stages)
        with stages.stage("Asking what is known"):
            morning = _look(parts)
        page = _page(parts, home)
    _show(console, home, morning, before, most)
    if page is not None:
        console.print(f"The night as a page, for a browser: {page}", soft_wrap=True)
    if before.episodes:
        console.print()
        console.print(
            "The demo has run before, so this night had little work. "
            f"To see the first night: {afresh}, then run it again.",
            soft_wrap=True,
        )
    report.show_times(console, stages.took)


@contextmanager
def _running(home: Path, stages: Stages) -> Iterator[tuple[wiring.Parts, str]]:
    """Yield the parts and the broker's address of the demo's own installation, which is shut down after the block."""
    own = dict.fromkeys(("url", "owner_url", "broker_url", "cache_url", "rules", "outbox"))
    settings = Settings.load(**own, home=home, tenant=TENANT)
    with ExitStack() as undo:
        with stages.stage("Starting Postgres, Redis, a Celery worker and the scheduler"):
            night = undo.enter_context(Night.up(settings))
            parts = undo.enter_context(closing(night.connect()))
        try:
            yield parts, night.broker_url
        except KeyboardInterrupt:
            stages.say("Interrupted. Running work finishes first, which may take some seconds.")
            raise
        with stages.stage("Stopping all of them cleanly"):
            undo.close()


def _push_sample(parts: wiring.Parts, broker_url: str, stages: Stages) -> None:
    """Push the episodes of both agents, those of each scope in order of time."""
    by_scope: dict[Scope, list[Line]] = {}
    for line in sample(TENANT):
        by_scope.setdefault(line.scope, []).append(line)
    direct = {scope: lines for scope, lines in by_scope.items() if not lines[0].by_broker}
    by_broker = {scope: lines for scope, lines in by_scope.items() if lines[0].by_broker}

    count = sum(map(len, direct.values()))
    with stages.stage(f"An agent with the library pushes {count} episodes", total=count) as advance:
        done = 0
        for scope, lines in direct.items():
            _accepted(parts.push(scope, [line.episode for line in lines]))
            done += len(lines)
            advance(done)

    count = sum(map(len, by_broker.values()))
    with (
        stages.stage(f"An agent that reaches only the broker pushes {count} episodes", total=count) as advance,
        QueueClient(broker_url, TENANT, outbox=parts.settings.home / "agent.outbox") as client,
    ):
        for scope, lines in by_broker.items():
            _accepted(client.push_many(scope, [line.episode for line in lines]))
        _until_stored(parts, advance, count)
        client.flush(DEADLINE_SECONDS, confirmed=True)


def _accepted(receipts: Sequence[Receipt]) -> None:
    for receipt in receipts:
        if receipt.error is not None:
            raise receipt.error


def _until_stored(parts: wiring.Parts, advance: Advance, by_broker: int) -> None:
    def look() -> bool:
        missing = len(sample(TENANT)) - parts.records.overview(TENANT).episodes
        advance(by_broker - max(missing, 0))
        return missing <= 0

    wait(look, timeout_seconds=DEADLINE_SECONDS, otherwise=lambda: _timed_out("stored what came through the broker"))


def _end_session(parts: wiring.Parts, stages: Stages) -> None:
    """End the session of Nora's agent, so that the place where she lives is known before the night."""
    session = [line.episode["session"] for line in sample(TENANT) if line.scope == HOME][-1]
    with stages.stage("Nora's agent ends the session, which is consolidated at once"):
        MemoryScope(parts, HOME).end_session(session)
        wait(
            lambda: any(_is_home(fact) for fact in parts.records.facts(HOME)),
            timeout_seconds=DEADLINE_SECONDS,
            otherwise=lambda: _timed_out("read the session that ended"),
        )
        known = [fact.text for fact in parts.records.facts(HOME) if _is_home(fact)]
    stages.say(f"  known before the night: {', '.join(known)}")


def _is_home(fact: Fact) -> bool:
    return fact.predicate == "lives_in" and fact.subject == "Nora"


def _run_night(parts: wiring.Parts, stages: Stages) -> None:
    """Simulate a night: fire the schedules of three in the morning by hand, without changing a clock."""
    total = parts.records.overview(TENANT).episodes
    with stages.stage(f"A night passes over {total} episodes", total=total) as advance:
        run_now(parts, tenant=TENANT)

        def look() -> bool:
            now = parts.records.overview(TENANT)
            advance(total - now.unread_episodes)
            return not (now.unread_episodes or now.running or due_work.is_due(parts))

        wait(look, timeout_seconds=DEADLINE_SECONDS, otherwise=lambda: _timed_out("read everything"))


def _timed_out(what: str) -> Unavailable:
    return Unavailable(
        f"the worker has not {what} within {DEADLINE_SECONDS:g} seconds",
        hint="run it again: what is stored stays stored. The worker's log under the demo's home says more",
    )


def _look(parts: wiring.Parts) -> Morning:
    memory = Memory(parts)
    answers = [(scope, question, MemoryScope(parts, scope).recall(question, limit=3)) for scope, question in QUESTIONS]
    believed = [(scope, fact) for scope in parts.records.scopes(TENANT) for fact in parts.records.facts(scope)]
    home = [fact for scope, fact in believed if scope == HOME and _is_home(fact)]
    if len(home) != 1:
        raise Fault(f"Nora should live in one place, and {len(home)} are believed", hint="please report it")
    why = memory.why(home[0].id)
    return Morning(
        changed=changes(MemoryScope(parts, HOME)),
        overview=parts.records.overview(TENANT),
        facts=believed,
        answers=answers,
        why=why,
        replaced=[memory.why(before.fact) for before in why.steps[0].replaces],
        dead_letters=parts.records.dead_letters(TENANT),
        digest=memory.digest(tenant=TENANT),
    )


def _page(parts: wiring.Parts, home: Path) -> Path | None:
    """Return the path of the night's report; None if the extra that writes reports is not installed."""
    try:
        from slowwave.night_report import Pages
    except Incorrect:
        return None
    return Pages(home / "reports").write(Memory(parts).operator(tenant=TENANT).night())


def _show(console: Console, home: Path, morning: Morning, before: Overview, most: int | None) -> None:
    after = morning.overview
    tonight = sum(after.deltas.values()) - sum(before.deltas.values())
    report.show_changes(console, HOME.user.capitalize(), morning.changed)
    report.show_counts(console, after, new=after.episodes - before.episodes, tonight=tonight)
    report.show_facts(console, morning.facts, report.chosen(morning.facts, most=most))
    for scope, question, answers in morning.answers:
        report.show_answers(console, scope, question, answers)
    report.show_why(console, morning.why, morning.replaced)
    report.show_dead_letters(console, morning.dead_letters)
    console.print()
    console.print(f"Digest of everything believed: {morning.digest[:16]}. Run it again: it stays the same.")
    command = own_name()
    console.print(
        f"Look around: SLOWWAVE_HOME={shlex.quote(str(home))} {command} facts --user nora, or: {command} --help",
        soft_wrap=True,
    )


def own_name() -> str:
    """Return the name this command was called by, for sentences that suggest the next command."""
    return shlex.quote(sys.argv[0]) if sys.argv[0].endswith("slowwave") else "slowwave"
