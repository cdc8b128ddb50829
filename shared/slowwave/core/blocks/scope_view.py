"""One scope of a question: its blocks, and the places in them that are visible and eligible."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from slowwave.core.blocks.joined_blocks import JoinedBlocks
from slowwave.core.blocks.words import NOWHERE, microseconds, role_number, session_hash
from slowwave.domain.queries.filters import Filters

Mask = NDArray[np.bool_]

BESIDE = 2
"""The distance, in positions, over which neighbours raise a memory's match."""


@dataclass(frozen=True, slots=True)
class ScopeView:
    """A scope's blocks; *visible* places are stored and not archived, *eligible* ones also pass the filters.

    *near* are places with a known similarity to the question, *also* are those that must be examined.
    """

    scope: uuid.UUID
    laid: JoinedBlocks
    visible: Mask
    eligible: Mask
    near: Sequence[tuple[int, float]]
    also: NDArray[np.int64]


def scope_view(
    scope: uuid.UUID,
    joined: JoinedBlocks,
    *,
    put_away: Iterable[tuple[str, float]],
    filters: Filters,
    near: Mapping[int, float],
    also: Sequence[int] = (),
) -> ScopeView:
    """Return the side of a scope; *put_away* gives, by session, the time in seconds up to which its episodes are
    archived.

    *near* gives the known similarities of positions to the question, *also* the positions that must be examined.
    """
    columns = joined.words.columns
    visible = columns["received"] != NOWHERE
    for session, until in put_away:
        gone = columns["sessions"] == session_hash(session)
        visible &= ~(gone & (columns["received"] <= round(until * 1e6)))
    known = joined.words.places(list(near))
    similar = [(int(at), value) for at, value in zip(known, near.values(), strict=True) if at >= 0]
    places = joined.words.places(also)
    return ScopeView(scope, joined, visible, visible & _let_through(joined, filters), similar, places[places >= 0])


def _let_through(joined: JoinedBlocks, filters: Filters) -> Mask:
    """The places that pass *filters*, as far as blocks have the data."""
    columns = joined.words.columns
    through = np.ones(len(columns["received"]), np.bool_)
    if filters.kinds is not None and "episode" not in filters.kinds:
        through[:] = False
    if filters.roles is not None:
        through &= np.isin(columns["roles"], [role_number(role) for role in filters.roles])
    if filters.sessions is not None:
        through &= np.isin(columns["sessions"], _hashes(filters.sessions), kind="sort")
    if filters.exclude_sessions is not None:
        through &= ~np.isin(columns["sessions"], _hashes(filters.exclude_sessions), kind="sort")
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
