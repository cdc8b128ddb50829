"""The result of a task, as Flower shows it: a sentence where it went well, red where something is lost to its reader.

A sentence holds counts, packs and numbers of runs, never anybody's words. Names of users stand in it only where the
setting `names_in_flower` allows them; otherwise the id of the scope does, whose name `slowwave runs --scope` tells.
"""

import uuid
from collections import Counter
from collections.abc import Mapping, Sequence

from celery.exceptions import Retry

from slowwave.domain.job_table import INSTALLATION, STANDING
from slowwave.domain.receipt import Receipt
from slowwave.domain.run import Report, wrote
from slowwave.domain.scope import Scope
from slowwave.errors import Unavailable
from slowwave.wiring import Parts
from slowwave.words import counted


class Buried(Exception):
    """Something became a dead letter: red in Flower, until a person has looked at it."""


class Failed(Exception):
    """A run failed, and nobody is to blame: red in Flower; its next firing tries again."""


RED = (Buried, Failed)
"""What a task ends with on purpose: logged in a line, without a trace."""


def of_runs(reports: Sequence[Report], *, whose: str) -> str:
    """Return the result of a task's runs, in words. Raises `Buried`, `Failed` or `Retry` else.

    What a run gave back is due again, and another bell finds it: that is no failure, but a retry.
    """
    if not reports:
        return f"nothing was due ({whose})"
    outcomes = Counter(report.outcome for report in reports)
    said = f"{_outcomes(outcomes)}: {wrote(reports)} ({_runs(reports)}, {whose})"
    if outcomes["dead"]:
        raise Buried(said)
    if outcomes["failed"]:
        raise Failed(said)
    if reports[-1].outcome in ("unavailable", "conflict"):
        raise again(said)
    return said


def of_calls(counts: Counter[str]) -> str:
    """Return how many calls to models came to what."""
    return f"asked {counts.total()}: {_listed(counts)}" if counts else "nothing could be asked"


def of_deliveries(counts: Counter[str]) -> str:
    """Return how many webhooks were told what they are owed, and what came of it."""
    return f"told {counted(counts.total(), 'webhooks')}: {_listed(counts)}" if counts else "nothing was owed"


def of_receipts(receipts: Sequence[Receipt], *, whose: str) -> str:
    """Return how many episodes of a message were stored. Raises `Buried` where any is a dead letter."""
    counts = Counter("repeated" if receipt.repeated else receipt.state for receipt in receipts)
    if not receipts:
        raise Buried("dead: the whole message is a dead letter")
    said = f"{_listed(counts)} of {counted(len(receipts), 'episodes')} ({whose})"
    if counts["refused"]:
        raise Buried(f"dead: {said}")
    return f"ok: {said}"


def again(said: str) -> Retry:
    """Return the `Retry` that ends a task that could do nothing now; the next message does its work."""
    return Retry(said, Unavailable(said))


def whose(parts: Parts, id_: uuid.UUID, job: str) -> str:
    """Return whose memory a task works on: its id, or the names where they may be shown."""
    if job in INSTALLATION:
        return "the installation"
    if parts.settings.names_in_flower and (scope := parts.records.scope(id_)):
        return named(scope)
    return f"slice {id_}" if job in STANDING else f"scope {id_}"


def named(scope: Scope) -> str:
    """Return a scope by its names."""
    return "/".join((scope.tenant, scope.user, scope.agent, scope.channel))


def _outcomes(outcomes: Counter[str]) -> str:
    return "ok" if set(outcomes) == {"ok"} else _listed(outcomes)


def _runs(reports: Sequence[Report]) -> str:
    packs = ", ".join(sorted({report.pack for report in reports}))
    numbers = sorted(report.run for report in reports)
    ranges = [numbers[:1]]
    for number in numbers[1:]:
        if number == ranges[-1][-1] + 1:
            ranges[-1].append(number)
        else:
            ranges.append([number])
    said = ", ".join(f"{one[0]} to {one[-1]}" if len(one) > 1 else f"{one[0]}" for one in ranges)
    return f"{packs}, run{'s' if len(numbers) > 1 else ''} {said}"


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)
