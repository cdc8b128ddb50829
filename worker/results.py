"""The result of a task for Flower: a sentence after a success, or an error (red) after a dead letter or a failed run.

A sentence contains counts, packs and run numbers, and never a user's words. A sentence names users only if the setting
`names_in_flower` allows names. Otherwise, the sentence contains the id of the scope; `slowwave runs --scope` shows the
name for an id.
"""

import uuid
from collections import Counter
from collections.abc import Mapping, Sequence

from celery.exceptions import Retry

from slowwave.domain.job_table import INSTALLATION, SLICED
from slowwave.domain.receipt import Receipt
from slowwave.domain.run import Report, wrote
from slowwave.domain.scope import Scope
from slowwave.errors import Unavailable
from slowwave.formatting import counted
from slowwave.wiring import Parts


class Buried(Exception):
    """An episode or message became a dead letter. Flower shows the task in red, so that a person notices."""


class Failed(Exception):
    """A run failed, but no episode caused the failure. Flower shows the task in red; the next firing tries again."""


RED = (Buried, Failed)
"""The errors with which a task ends deliberately. Each error is logged in one line, without a traceback."""


def of_runs(reports: Sequence[Report], *, owner: str) -> str:
    """Return the result of a task's runs as text. Raises `Buried`, `Failed` or `Retry` if a run did not succeed.

    If a run gives work back, the work is due again, and a later task does the work. This case is a `Retry`, not a
    failure.
    """
    if not reports:
        return f"nothing was due ({owner})"
    outcomes = Counter(report.outcome for report in reports)
    text = f"{'ok' if set(outcomes) == {'ok'} else _listed(outcomes)}: {wrote(reports)} ({_runs(reports)}, {owner})"
    if outcomes["dead"]:
        raise Buried(text)
    if outcomes["failed"]:
        raise Failed(text)
    if reports[-1].outcome in ("unavailable", "conflict"):
        raise again(text)
    return text


def of_calls(counts: Counter[str]) -> str:
    """Return the number of model calls with each outcome, as text."""
    return f"asked {counts.total()}: {_listed(counts)}" if counts else "nothing could be asked"


def of_deliveries(counts: Counter[str]) -> str:
    """Return the number of webhooks with each outcome of a delivery of deltas, as text."""
    return f"sent to {counted(counts.total(), 'webhooks')}: {_listed(counts)}" if counts else "nothing was pending"


def of_receipts(receipts: Sequence[Receipt], *, owner: str) -> str:
    """Return the number of stored episodes, as text. Raises `Buried` if an episode became a dead letter."""
    counts = Counter("repeated" if receipt.repeated else receipt.state for receipt in receipts)
    if not receipts:
        raise Buried("dead: the whole message is a dead letter")
    text = f"{_listed(counts)} of {counted(len(receipts), 'episodes')} ({owner})"
    if counts["refused"]:
        raise Buried(f"dead: {text}")
    return f"ok: {text}"


def again(text: str) -> Retry:
    """Return a `Retry` error, which ends a task that cannot work now. A later task does the work."""
    return Retry(text, Unavailable(text))


def owner_of(parts: Parts, id_: uuid.UUID, job: str) -> str:
    """Return the scope that a task works on: its names if the setting `names_in_flower` allows names, else its id."""
    if job in INSTALLATION:
        return "the installation"
    if parts.settings.names_in_flower and (scope := parts.records.scope(id_)):
        return named(scope)
    return f"slice {id_}" if job in SLICED else f"scope {id_}"


def named(scope: Scope) -> str:
    """Return the names of a scope as one text."""
    return "/".join((scope.tenant, scope.user, scope.agent, scope.channel))


def _runs(reports: Sequence[Report]) -> str:
    packs = ", ".join(sorted({report.pack for report in reports}))
    numbers = sorted(report.run for report in reports)
    ranges = [numbers[:1]]
    for number in numbers[1:]:
        if number == ranges[-1][-1] + 1:
            ranges[-1].append(number)
        else:
            ranges.append([number])
    text = ", ".join(f"{one[0]} to {one[-1]}" if len(one) > 1 else f"{one[0]}" for one in ranges)
    return f"{packs}, run{'s' if len(numbers) > 1 else ''} {text}"


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count)
