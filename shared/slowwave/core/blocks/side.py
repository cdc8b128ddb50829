"""One scope of a question: its blocks, and the places of them that count and that may answer."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from slowwave.core.blocks.laid import Laid
from slowwave.core.blocks.words import NOWHERE, microseconds, role_number, session_hash
from slowwave.domain.reading.filters import Filters

Mask = NDArray[np.bool_]

BESIDE = 2
"""A memory is lifted by its neighbours at so many positions' distance."""


@dataclass(frozen=True, slots=True)
class Side:
    """A scope's blocks; *visible* is what is there and not put away, *eligible* what the filters let answer as well.

    *near* are places of which it is known how near they lie to the question, *also* those that have to be looked at.
    """

    scope: uuid.UUID
    laid: Laid
    visible: Mask
    eligible: Mask
    near: Sequence[tuple[int, float]]
    also: NDArray[np.int64]


def side(
    scope: uuid.UUID,
    laid: Laid,
    *,
    put_away: Iterable[tuple[str, float]],
    filters: Filters,
    near: Mapping[int, float],
    also: Sequence[int] = (),
) -> Side:
    """Return the side of a scope of which, of some sessions, is *put_away* what was received until then, in seconds.

    *near* says of positions how near they lie to the question, *also* are the positions to be looked at.
    """
    columns = laid.words.columns
    visible = columns["received"] != NOWHERE
    for session, until in put_away:
        gone = columns["sessions"] == session_hash(session)
        visible &= ~(gone & (columns["received"] <= round(until * 1e6)))
    known = laid.words.places(list(near))
    similar = [(int(at), value) for at, value in zip(known, near.values(), strict=True) if at >= 0]
    places = laid.words.places(also)
    return Side(scope, laid, visible, visible & _let_through(laid, filters), similar, places[places >= 0])


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
