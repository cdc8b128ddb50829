"""Windows of a run: how many episodes it takes, and how the window shrinks after failures."""

from typing import Literal

from slowwave.domain.run import Evidence

STRIKES = 5
"""The crashes, while other work succeeded, after which a window of one episode becomes a dead letter."""

PATIENCE = 20
"""Consecutive faults, over some fifteen minutes, during which a failure shared by several scopes counts as the
installation's."""


def first_window(
    *, watermark: int, suspect: int, head: int, largest: int, segment_end: int | None = None
) -> tuple[int, int]:
    """Return the positions of a new run: from the watermark on, at most *largest* of them.

    Until the watermark has passed *suspect*, the end of a failed window, windows stay small and halve towards the
    faulty episode. A window does not cross *segment_end*, so that a finished segment is read before the next begins.

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
    """Return the new end of a window cut in half; the lower half keeps the smaller part.

    >>> half(1, 100), half(7, 8)
    (50, 7)
    """
    return lo + (hi - lo + 1) // 2 - 1


def after_vanishing(
    *, lo: int, hi: int, vanished: int, strikes: int, witnessed: bool
) -> Literal["again", "halve", "strike", "condemn", "witness"]:
    """Return the action for a window whose worker vanished, now for the *vanished*th time.

    The first time it is retried unchanged. Then it is halved, which is harmless. A single episode becomes a dead letter
    after `STRIKES` vanishings that other work *witnessed*: without a witness the cause may be elsewhere, and a witness
    is requested.
    """
    if vanished <= 1:
        return "again"
    if lo < hi:
        return "halve"
    if not witnessed:
        return "witness"
    return "condemn" if strikes + 1 >= STRIKES else "strike"


def evidence_after_faults(*, faults: int, witnessed: bool, shared: bool) -> Evidence:
    """Return the evidence against a single episode after *faults* consecutive faults, if one more occurs.

    *witnessed*: since the last fault the pack succeeded elsewhere. *shared*: other scopes failed in the same way; then
    the installation is at fault, while `PATIENCE` lasts, and always if no scope succeeds.

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
