"""`slowwave push`: a file of episodes into the durable queue."""

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from itertools import groupby
from typing import IO, Any

import click

from slowwave import wiring
from slowwave.cli.options import json_option, opened, tenant_option
from slowwave.cli.printing import print_json
from slowwave.domain.episode import Episode
from slowwave.domain.scope import GLOBAL_CHANNEL, Scope
from slowwave.errors import Incorrect, SlowwaveError

BATCH = 1_000
"""Lines that are read before they are stored: a file of any length passes through."""


@dataclass(slots=True)
class Outcome:
    """What became of a file; *refused* says why, by the number of the line."""

    stored: int = 0
    known: int = 0
    spooled: int = 0
    refused: dict[int, str] = field(default_factory=dict)


@click.command
@click.argument("file", type=click.File("rb"))
@click.option("--user", help="The user of lines that name none.")
@click.option("--agent", default="default", show_default=True, help="The agent of lines that name none.")
@click.option("--channel", default=GLOBAL_CHANNEL, show_default=True, help="The channel of lines that name none.")
@click.option("--speaker", metavar="NAME", help="Who spoke in lines that do not say it.")
@tenant_option
@json_option
def command(
    file: IO[bytes], user: str | None, agent: str, channel: str, speaker: str | None, tenant: str | None, as_json: bool
) -> None:
    """Store the episodes of FILE, one JSON object a line; - reads standard input.

    A line has `content` and may have user, agent, channel, key, session, role, kind, occurred_at (ISO 8601 with a
    zone), speaker and metadata. Good lines are stored whatever is wrong with others, and every bad line is told with
    its number. Pushing the same file again is safe where lines have keys. The status is 1 when a line was refused.
    """
    outcome = Outcome()
    with opened(tenant) as parts:
        defaults = {"tenant": parts.settings.tenant, "user": user, "agent": agent, "channel": channel}
        for batch in _batches(file):
            _store(parts, batch, defaults, outcome, speaker)
    if as_json:
        print_json(asdict(outcome))
    else:
        _tell(outcome)
    if outcome.refused:
        sys.exit(1)


def _batches(file: IO[bytes]) -> Iterator[list[tuple[int, bytes]]]:
    batch: list[tuple[int, bytes]] = []
    for number, line in enumerate(file, 1):
        if line.strip():
            batch.append((number, line))
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _store(
    parts: wiring.Parts, batch: list[tuple[int, bytes]], defaults: dict[str, Any], outcome: Outcome, speaker: str | None
) -> None:
    read = [(number, *found) for number, line in batch if (found := _read(number, line, defaults, outcome, speaker))]
    for scope, group in groupby(read, key=lambda item: item[1]):
        lines = list(group)
        for (number, *_), receipt in zip(lines, parts.push(scope, [line[2] for line in lines]), strict=True):
            if receipt.error is not None:
                outcome.refused[number] = _reason(receipt.error)
            elif receipt.state == "spooled":
                outcome.spooled += 1
            elif receipt.repeated:
                outcome.known += 1
            else:
                outcome.stored += 1


def _read(
    number: int, line: bytes, defaults: dict[str, Any], outcome: Outcome, speaker: str | None
) -> tuple[Scope, Episode] | None:
    """Return whose episode a line is and the episode; None, with all that is wrong on record, for a bad line."""
    try:
        item = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        outcome.refused[number] = f"not JSON: {error}"
        return None
    if not isinstance(item, dict):
        outcome.refused[number] = f"expected a JSON object, got {type(item).__name__}"
        return None
    names = {part: item.pop(part, default) for part, default in defaults.items()}
    if speaker is not None and "speaker" not in {*item, *_keys(item.get("metadata"))}:
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
        outcome.refused[number] = "; ".join(problems)
        return None
    return scope, episode


def _keys(metadata: object) -> list[str]:
    return list(metadata) if isinstance(metadata, dict) else []


def _scope(names: dict[str, Any]) -> Scope:
    if problems := [
        f"{part}: {'is missing' if name is None else 'is not text'}"
        for part, name in names.items()
        if not isinstance(name, str)
    ]:
        raise Incorrect.listing("scope", problems)
    return Scope(**names)


def _reason(error: SlowwaveError) -> str:
    return "; ".join(error.problems) if isinstance(error, Incorrect) and error.problems else error.message


def _tell(outcome: Outcome) -> None:
    for number, reason in sorted(outcome.refused.items()):
        click.echo(f"line {number}: {reason}", err=True)
    said = [f"{outcome.stored} stored", f"{outcome.known} known already" if outcome.known else ""]
    said += [f"{outcome.spooled} kept in the outbox" if outcome.spooled else ""]
    said += [f"{len(outcome.refused)} refused" if outcome.refused else ""]
    click.echo(", ".join(part for part in said if part))
