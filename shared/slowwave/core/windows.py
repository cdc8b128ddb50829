"""The windows of runs: the positions that a run reads, and smaller windows after failures."""

from typing import Literal

from slowwave.domain.run import Evidence

STRIKES = 5
"""The number of crashes, while other work succeeded, after which the only episode of a window becomes a dead letter."""

PATIENCE = 20
"""The number of consecutive faults, over about fifteen minutes, during which the installation is blamed for a failure
that several scopes share."""


def first_window(
    *, watermark: int, suspect: int, head: int, largest: int, segment_end: int | None = None
) -> tuple[int, int]:
    """Return the first and last position for a new run, which begins after the watermark.

    The window has at most *largest* positions and ends at *head*, the last stored position, or before. *suspect* is the
    end of a failed window. Until the watermark has passed *suspect*, windows stay small and halve towards the faulty
    episode. A window does not cross *segment_end*, because a finished segment is read before the next segment begins.

    >>> first_window(watermark=10, suspect=0, head=500, largest=100)
    (11, 110)
    >>> first_window(watermark=10, suspect=18, head=500, largest=100)
    (11, 14)
    >>> first_window(watermark=10, suspect=0, head=500, largest=100, segment_end=17)
    (11, 17)
    """
    size = largest if suspect <= watermark else max(1, (suspect - watermark) // 2)
    ends = [head, watermark + min(size, largest), *([] if segment_end is None else [segment_end])]
    return watermark + 1, min(ends)


def half(lo: int, hi: int) -> int:
    """Return the new end of a window that is cut in half, which is the end of the lower half.

    >>> half(1, 100), half(7, 8)
    (50, 7)
    """
    return lo + (hi - lo + 1) // 2 - 1


def after_vanishing(
    *, lo: int, hi: int, vanished: int, strikes: int, witnessed: bool
) -> Literal["again", "halve", "strike", "condemn", "witness"]:
    """Return the action after a worker crashed or was killed while it processed a window. *vanished* counts these
    crashes.

    After the first crash, the window is tried `again` unchanged. Later, the window is halved (`halve`), which is
    harmless. If the window is a single episode, each crash while other work succeeded (*witnessed*) counts as a
    `strike`; after `STRIKES` strikes, the episode becomes a dead letter (`condemn`). If no other work succeeded, the
    cause may be elsewhere. Then the result is `witness`, which requests a test of the pack.
    """
    if vanished <= 1:
        return "again"
    if lo < hi:
        return "halve"
    if not witnessed:
        return "witness"
    return "condemn" if strikes + 1 >= STRIKES else "strike"


def evidence_after_faults(*, faults: int, witnessed: bool, shared: bool) -> Evidence:
    """Return how one more fault counts as evidence against a single episode. *faults* counts the consecutive faults
    before.

    *witnessed* is True if the pack succeeded elsewhere since the last fault. *shared* is True if other scopes failed in
    the same way. If *shared* is True or *witnessed* is False, a failure is no evidence before there are `PATIENCE`
    faults. If *shared* is True and *witnessed* is False, a failure is never evidence.

    >>> evidence_after_faults(faults=1, witnessed=True, shared=False)
    'witnessed'
    >>> evidence_after_faults(faults=100, witnessed=False, shared=True)
    'none'
    """
    if witnessed and not shared:
        return "witnessed"
    if faults < PATIENCE or (shared and not witnessed):
        return "none"
    return "witnessed" if witnessed else "alone"
