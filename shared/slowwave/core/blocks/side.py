"""One scope of a question: its blocks, and the places of them that count and that may answer."""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from slowwave.core.blocks.laid import Laid
from slowwave.core.blocks.sizes import BLOCK
from slowwave.core.blocks.words import NOWHERE, microseconds, role_number, session_hash
from slowwave.domain.reading.filters import Filters

Mask = NDArray[np.bool_]

BESIDE = 2
"""A memory is lifted by its neighbours at so many positions' distance."""
END = 2**62
"""A position beyond every other."""


@dataclass(frozen=True, slots=True)
class Side:
    """A scope's blocks; *visible* is what is there and not put away, *eligible* what the filters let answer as well.

    *also* are the positions that have to be looked at, whatever the blocks say of them.
    """

    scope: uuid.UUID
    laid: Laid
    visible: Mask
    eligible: Mask
    also: Sequence[int]

    def unpacked(self) -> list[tuple[int, int]]:
        """Return the stretches of positions that no block holds: first and last of each."""
        begins = self.laid.words.blocks * BLOCK
        ends = begins + BLOCK
        first = [(0, int(begins[0]))] if begins[0] else []
        gaps = [(int(end), int(begin)) for end, begin in zip(ends[:-1], begins[1:], strict=True) if begin > end]
        return [(before + 1, last) for before, last in (*first, *gaps, (int(ends[-1]), END))]

    def edges(self) -> list[int]:
        """Return the positions beside an unpacked stretch: they lift what stands in it."""
        around = range(1, BESIDE + 1)
        return [at for lo, hi in self.unpacked() for step in around for at in (lo - step, hi + step) if 0 < at < END]


def side(
    scope: uuid.UUID,
    laid: Laid,
    *,
    put_away: Iterable[tuple[str, float]],
    filters: Filters,
    also: Sequence[int] = (),
) -> Side:
    """Return the side of a scope of which, of some sessions, is *put_away* what was received until then, in seconds."""
    columns = laid.words.columns
    visible = columns["received"] != NOWHERE
    for session, until in put_away:
        gone = columns["sessions"] == session_hash(session)
        visible &= ~(gone & (columns["received"] <= round(until * 1e6)))
    return Side(scope, laid, visible, visible & _let_through(laid, filters), also)


def _let_through(laid: Laid, filters: Filters) -> Mask:
    """The places that *filters* let answer, as far as blocks know."""
    columns = laid.words.columns
    through = np.ones(len(columns["received"]), np.bool_)
    if filters.kinds is not None and "episode" not in filters.kinds:
        through[:] = False
    if filters.roles is not None:
        through &= np.isin(columns["roles"], [role_number(role) for role in filters.roles])
    if filters.sessions is not None:
        through &= np.isin(columns["sessions"], _hashes(filters.sessions))
    if filters.exclude_sessions is not None:
        through &= ~np.isin(columns["sessions"], _hashes(filters.exclude_sessions))
    return through & _within(columns["occurred"], filters.since, filters.until)


def _within(occurred: NDArray[np.int64], since: datetime | None, until: datetime | None) -> Mask:
    within = np.ones(len(occurred), np.bool_)
    if since is not None:
        within &= occurred >= microseconds(since)
    if until is not None:
        within &= occurred < microseconds(until)
    return within


def _hashes(sessions: Iterable[str]) -> NDArray[np.uint64]:
    return np.array([session_hash(session) for session in sessions], np.uint64)
