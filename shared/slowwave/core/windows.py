"""Windows of a run: how many episodes it takes, and how a window that failed narrows."""

from typing import Literal

from slowwave.domain.run import Evidence

STRIKES = 5
"""A window of one episode that vanished this often, while other work got through, is condemned."""

PATIENCE = 10
"""Faults in a row, some fifteen minutes, for which what befalls several scopes alike is the installation's trouble."""


def first_window(
    *, watermark: int, suspect: int, head: int, largest: int, segment_end: int | None = None
) -> tuple[int, int]:
    """Return the positions a new run works on: from the watermark on, at most *largest* of them.

    Until the watermark has passed *suspect*, the end of a window that failed, windows stay small, halving towards
    the guilty episode. A window does not reach across *segment_end*, so that what was over is read before what began.

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
    """Return what to do with a window whose worker vanished, now for the *vanished*th time.

    The first time it is tried again as it is. Then it is halved, which harms nobody.
    One episode alone is condemned after `STRIKES` vanishings that something *witnessed*: without a witness the
    fault may lie anywhere, and one is asked for.
    """
    if vanished <= 1:
        return "again"
    if lo < hi:
        return "halve"
    if not witnessed:
        return "witness"
    return "condemn" if strikes + 1 >= STRIKES else "strike"


def evidence_after_faults(*, faults: int, witnessed: bool, shared: bool) -> Evidence:
    """Return what would speak against an episode alone if a fault met it once more, after *faults* in a row.

    *witnessed*: since the last fault the pack got through elsewhere. *shared*: other scopes failed in the same way;
    then it is the installation's trouble, for as long as `PATIENCE` lasts, and always where nobody gets through.

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
