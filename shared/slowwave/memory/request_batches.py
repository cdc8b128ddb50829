"""Model requests as files: the export of requests as a batch, and the import of replies."""

from collections import Counter
from collections.abc import Iterable, Iterator

from slowwave.errors import Incorrect
from slowwave.inference.providers import FORMATS, read_line
from slowwave.wiring import Parts, owner_name

MOST_REQUESTS = 50_000
"""The maximum number of lines that batch APIs accept in one file."""


def export_requests(parts: Parts, *, form: str, peek: bool, most: int, hours: float) -> Iterator[str]:
    """Yield the tenant's pending model requests as lines of a batch, oldest first.

    The export reserves the requests and their budget for *hours*. With *peek*, nothing is reserved. If a provider is
    configured, the export leaves out requests whose batches expired twice. Such requests are sent to the provider one
    by one.
    """
    tenant = parts.settings.tenant
    handed = parts.batches.pending(tenant, most=min(most, MOST_REQUESTS), live=parts.provider is not None)
    if not peek:
        handed = parts.batches.hand_out(tenant, handed, owner=owner_name("batch"), seconds=hours * 3600)
    for one in handed:
        yield FORMATS[form](one.request, one.model.partition(":")[2].partition("?")[0] or one.model, one.chunk)


def import_replies(parts: Parts, lines: Iterable[str]) -> Counter[str]:
    """Import replies from the lines of a batch's results; return the counts by outcome. A repeat is safe.

    Only the first reply to a known request is stored, whoever sent the request. The function imports all valid lines,
    then raises `Incorrect` with every line that is not a reply.
    """
    counts: Counter[str] = Counter()
    problems: list[str] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            counts[_take(parts, line)] += 1
        except Incorrect as error:
            problems.append(f"line {number}: {error.message}")
    if problems:
        raise Incorrect.listing("the replies", problems[:20], more=max(0, len(problems) - 20))
    return counts


def _take(parts: Parts, line: str) -> str:
    key, reply = read_line(line)
    call = parts.batches.call_for(key)
    if call is None:
        return "unknown"
    taken = parts.calls.words(call[0], key, call[1])
    if taken is None:
        return "gone"
    if taken.pack not in parts.asking:
        raise Incorrect(f"the pack {taken.pack!r} is not loaded here", hint="point SLOWWAVE_RULES at it")
    return parts.clerk.bring(taken, reply)
