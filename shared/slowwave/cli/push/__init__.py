"""`slowwave push`: stores a file of episodes in the durable queue."""

import codecs
import json
import math
import re
import sys
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import groupby
from typing import IO, Any

import click

from slowwave import wiring
from slowwave.cli.options import json_option, opened, tenant_option
from slowwave.cli.printing import print_json
from slowwave.domain.episode import Episode
from slowwave.domain.receipt import Receipt
from slowwave.domain.scope import GLOBAL_CHANNEL, Scope
from slowwave.errors import Crowded, Incorrect, OverQuota, SlowwaveError, Unavailable
from slowwave.formatting import counted
from slowwave.jobs.ingest import BATCH
from slowwave.runtime import clock
from slowwave.validation_messages import kind, nearest
from slowwave.wiring import Settings

_A_LINE = 'a JSON object like {"content": "I live in Oslo"}'


def batches_of(file: IO[bytes]) -> Iterator[list[tuple[int, bytes]]]:
    """Give the non-empty lines of *file* with their numbers, in batches, for files of any length."""
    batch: list[tuple[int, bytes]] = []
    for number, line in enumerate(file, 1):
        line = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line  # a byte order mark, as Windows writes it
        if line.strip():
            batch.append((number, line))
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def read(line: bytes, defaults: dict[str, Any], speaker: str | None) -> tuple[Scope, Episode]:
    """Return the scope and the episode of a line. Raises `Incorrect` with all problems."""
    item = _object(line)
    names = {part: item.pop(part, default) for part, default in defaults.items()}
    metadata = item.get("metadata")
    if speaker is not None and "speaker" not in {*item, *(metadata if isinstance(metadata, dict) else ())}:
        item["speaker"] = speaker
    problems: list[str] = []
    scope = episode = None
    try:
        scope = _scope(names)
    except Incorrect as error:
        problems += error.problems
    try:
        episode = Episode.from_message(item)
    except Incorrect as error:
        problems += error.problems
    if scope is None or episode is None:
        raise Incorrect.listing("line", problems)
    return scope, episode


def _object(line: bytes) -> dict[str, Any]:
    """Return the JSON object of a line. Raises `Incorrect`."""
    try:
        item = json.loads(line.decode("utf-8"), parse_constant=_no_number, parse_float=_number)
    except UnicodeDecodeError as error:
        raise Incorrect(f"not UTF-8 from byte {error.start + 1} on") from None
    except json.JSONDecodeError as error:
        raise Incorrect(f"not JSON from character {error.pos + 1} on; expected {_A_LINE}") from None
    except RecursionError:
        raise Incorrect("nested too deeply") from None
    except ValueError:  # Python refuses integers of more than 4300 digits
        raise Incorrect("has a number with too many digits") from None
    if not isinstance(item, dict):
        raise Incorrect(f"expected {_A_LINE}, got {kind(item)}")
    return item


def _no_number(word: str) -> float:
    raise Incorrect(f"not JSON: {word} is not a JSON number")


def _number(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise Incorrect(f"has a number that is too large, {digits[:20]}")
    return number


def _scope(names: dict[str, Any]) -> Scope:
    if problems := [
        f"{part}: {'is missing' if name is None else 'is not text'}"
        for part, name in names.items()
        if not isinstance(name, str)
    ]:
        raise Incorrect.listing("scope", problems)
    return Scope(**names)


def problems_of(error: SlowwaveError) -> list[str]:
    """Return every problem in *error*."""
    return list(error.problems) if isinstance(error, Incorrect) and error.problems else [error.message]


def advised(problem: str, defaults: Iterable[str]) -> str:
    """Return a problem, with advice on where to put an unknown field."""
    name = problem.removesuffix(": is not known")
    return problem if name == problem else f"{problem}{nearest(name, defaults) or '; put it under metadata'}"


LONGEST_WAIT_SECONDS = 60
"""The longest wait for a quota that the command accepts at once."""
PATIENCE_SECONDS = 600
"""The longest total wait of a batch for quotas: without a running worker, pending episodes would block it for ever."""
FIRST_LINES = 5
"""The maximum number of line numbers shown for one kind of problem."""
_DETAILS = re.compile(r"\d+|'[^']*'|, got .*")
"""The parts of a sentence that differ between problems of the same kind."""

Line = tuple[int, Scope, Episode]
"""A line's number, its scope, and the episode."""


@dataclass(slots=True)
class Outcome:
    """The counts of a file's receipts. *refused* has the problems of refused lines by line number.

    *stopped* is the number of the first line that was not pushed, if an error ended the command.
    """

    stored: int = 0
    known: int = 0
    spooled: int = 0
    masked: Counter[str] = field(default_factory=Counter)
    would_store: dict[Scope, int] = field(default_factory=dict)
    refused: dict[int, list[str]] = field(default_factory=dict)
    stopped: int | None = None

    def count(self, number: int, receipt: Receipt, *, again: bool = False) -> None:
        """Count the *receipt* of a line. After a retry (*again*), a repeated receipt counts as new."""
        self.masked.update(receipt.masked)
        if receipt.error is not None:
            self.refused[number] = problems_of(receipt.error)
        elif receipt.state == "spooled":
            self.spooled += 1
        elif receipt.repeated and not again:
            self.known += 1
        else:
            self.stored += 1


@click.command
@click.argument("file", type=click.File("rb"))
@click.option("--user", help="The user of lines without a user.")
@click.option("--agent", default="default", show_default=True, help="The agent of lines without an agent.")
@click.option("--channel", default=GLOBAL_CHANNEL, show_default=True, help="The channel of lines without a channel.")
@click.option("--speaker", metavar="NAME", help="The speaker of lines without a speaker.")
@click.option("--dry-run", is_flag=True, help="Report what would be stored; store nothing.")
@tenant_option
@json_option
def push_command(
    file: IO[bytes], user: str | None, agent: str, channel: str, speaker: str | None, dry_run: bool, tenant: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Store the episodes of FILE, one JSON object per line. If FILE is `-`, read standard input.

    A line has `content` and may have user, agent, channel, key, session, role, kind, occurred_at (ISO 8601 with a
    zone), speaker and metadata. The command stores valid lines even if others are invalid, and reports each kind of
    problem once, with the line numbers. A file whose lines have keys can safely be pushed again. While a quota is used
    up, the command waits and retries, for ten minutes at most; then it prints the line at which it stopped. The exit
    status is 1 when a line was refused. --dry-run compares keys within the file, not with stored episodes.
    """
    owner = {"user": user, "agent": agent, "channel": channel}
    take(batches_of(file), owner, tenant=tenant, speaker=speaker, dry_run=dry_run, as_json=as_json)


def take(
    lines: Iterable[list[tuple[int, bytes]]], owner: dict[str, Any], *, tenant: str | None, speaker: str | None = None,
    dry_run: bool, as_json: bool, noun: str = "line", advance: Callable[[], object] = lambda: None,
) -> None:  # fmt: skip
    """Store the episodes of *lines* in batches, with *owner* as the default scope, and print the result.

    *advance* is called once per batch. *noun* is the word for a line. The process exits with 1 if a line was refused.
    """
    outcome = Outcome()
    settings = Settings.load(**({} if tenant is None else {"tenant": tenant}))
    defaults = {"tenant": settings.tenant, **owner}
    batches = (_read_batch(batch, defaults, outcome, speaker) for batch in lines)
    if dry_run:
        _count_without_storing(batches, outcome)
    else:
        try:
            with opened(tenant) as parts:
                for batch in batches:
                    _store(parts, batch, outcome)
                    advance()
        except Unavailable:
            if outcome.stored or outcome.known or outcome.spooled or outcome.refused:
                _print(outcome, dry_run=dry_run, as_json=as_json, noun=noun)
            raise
    _print(outcome, dry_run=dry_run, as_json=as_json, noun=noun)
    if outcome.refused:
        sys.exit(1)


def good_lines(file: IO[bytes], scope: Scope) -> list[tuple[Scope, Episode]]:
    """Return the episodes of *file*, with *scope* as the default scope. Raises `Incorrect`."""
    outcome = Outcome()
    defaults = {"tenant": scope.tenant, "user": scope.user, "agent": scope.agent, "channel": scope.channel}
    lines = [line for batch in batches_of(file) for line in _read_batch(batch, defaults, outcome, None)]
    problems = [
        f"line {number}: {problem}" for number, of_line in sorted(outcome.refused.items()) for problem in of_line
    ]
    if problems or not lines:
        raise Incorrect.listing("the file", problems[:20] or ["holds no episode"], more=max(0, len(problems) - 20))
    return [(owner, episode) for _, owner, episode in lines]


def _read_batch(
    batch: list[tuple[int, bytes]], defaults: dict[str, Any], outcome: Outcome, speaker: str | None
) -> list[Line]:
    """Return the valid lines of a batch, and add the problems of the others to *outcome*."""
    good = []
    for number, line in batch:
        try:
            good.append((number, *read(line, defaults, speaker)))
        except Incorrect as error:
            outcome.refused[number] = [advised(problem, defaults) for problem in problems_of(error)]
    return good


def _count_without_storing(batches: Iterable[list[Line]], outcome: Outcome) -> None:
    """Count what would be stored, given the keys of earlier lines of the file."""
    digests: dict[uuid.UUID, bytes] = {}
    for number, scope, episode in (line for batch in batches for line in batch):
        id_ = scope.episode_id(episode.key)
        if id_ not in digests:
            digests[id_] = episode.digest
            outcome.would_store[scope] = outcome.would_store.get(scope, 0) + 1
        elif digests[id_] == episode.digest:
            outcome.known += 1
        else:
            outcome.count(number, Receipt.conflict(id_, episode.key))


def _store(parts: wiring.Parts, batch: list[Line], outcome: Outcome) -> None:
    for scope, group in groupby(batch, key=lambda item: item[1]):
        _store_lines(parts, scope, list(group), outcome)


def _store_lines(parts: wiring.Parts, scope: Scope, lines: list[Line], outcome: Outcome) -> None:
    """Store *lines*, in halves if they exceed a full quota: then all lines before the one that stops are stored."""
    try:
        receipts, again = _push_within_quotas(parts, scope, [line[2] for line in lines])
    except OverQuota:
        middle = len(lines) // 2
        _store_lines(parts, scope, lines[:middle], outcome)
        _store_lines(parts, scope, lines[middle:], outcome)
        return
    except Unavailable:
        outcome.stopped = lines[0][0]
        raise
    for (number, *_), receipt in zip(lines, receipts, strict=True):
        outcome.count(number, receipt, again=again)


def _push_within_quotas(parts: wiring.Parts, scope: Scope, episodes: Sequence[Episode]) -> tuple[list[Receipt], bool]:
    """Push *episodes*, and retry while a quota is used up; return the receipts, and whether there was a retry."""
    end, again = clock.monotonic() + PATIENCE_SECONDS, False
    while True:
        try:
            return parts.push_once(scope, episodes), again
        except Crowded as error:
            wait = error.retry_after_seconds
            if wait > LONGEST_WAIT_SECONDS or clock.monotonic() + wait > end:
                raise
            if not again:
                click.echo(f"{error.message} …", err=True)
            again = True
            time.sleep(wait)


def _print(outcome: Outcome, *, dry_run: bool, as_json: bool, noun: str) -> None:
    if as_json:
        print_json(_as_json(outcome, dry_run=dry_run))
    else:
        _tell(outcome, dry_run=dry_run, noun=noun)


def _as_json(outcome: Outcome, *, dry_run: bool) -> dict[str, Any]:
    refused = {number: "; ".join(problems) for number, problems in sorted(outcome.refused.items())}
    if dry_run:
        would = [{**asdict(scope), "episodes": count} for scope, count in sorted(outcome.would_store.items())]
        return {"would_store": would, "known": outcome.known, "refused": refused}
    stopped = {} if outcome.stopped is None else {"stopped": outcome.stopped}
    return {
        "stored": outcome.stored, "known": outcome.known, "spooled": outcome.spooled, "refused": refused,
        "masked": dict(sorted(outcome.masked.items())), **stopped,
    }  # fmt: skip


def _tell(outcome: Outcome, *, dry_run: bool, noun: str) -> None:
    kinds: dict[str, tuple[str, list[int]]] = {}
    for number, problems in sorted(outcome.refused.items()):
        for problem in problems:
            kinds.setdefault(_DETAILS.sub("", problem), (problem, []))[1].append(number)
    for problem, numbers in kinds.values():
        click.echo(f"{_lines(numbers, noun)}: {problem}", err=True)
    for scope, count in sorted(outcome.would_store.items()):
        click.echo(f"{count} for user {scope.user}, agent {scope.agent}, channel {scope.channel}")
    would = sum(outcome.would_store.values())
    counts = [f"{would} would be stored" if dry_run else f"{outcome.stored} stored"]
    counts += [f"{outcome.known} known already" if outcome.known else ""]
    counts += [f"{outcome.spooled} kept in the outbox" if outcome.spooled else ""]
    counts += [f"{len(outcome.refused)} refused" if outcome.refused else ""]
    click.echo(", ".join(part for part in counts if part))
    if outcome.stopped is not None:
        click.echo(f"stopped at {noun} {outcome.stopped}: push this and all later ones again")
    if outcome.masked:
        masked = ", ".join(counted(count, f"{kind}s") for kind, count in sorted(outcome.masked.items()))
        click.echo(f"masked: {masked}")
    if dry_run:
        click.echo("keys were compared within the file, not with stored episodes")


def _lines(numbers: Sequence[int], noun: str) -> str:
    """Return line numbers in words: the first few, and the total count."""
    if len(numbers) == 1:
        return f"{noun} {numbers[0]}"
    first = ", ".join(str(number) for number in numbers[:FIRST_LINES])
    return f"{noun}s {first}{', …' if len(numbers) > FIRST_LINES else ''} ({len(numbers)})"
