"""The last turns of each session before a window, found in one search for all sessions."""

from collections.abc import Sequence

import pytest

from slowwave.domain.episode import Episode, StoredEpisode
from slowwave.domain.scope import Scope
from slowwave.ports.context import REACH
from slowwave.store.inbox.stored_episodes import TURNS_BEFORE, episodes_before, window
from slowwave.wiring import Parts

COUNT = 2 * REACH
SESSIONS = (1, 3, 50)


@pytest.fixture(params=SESSIONS)
def told(request: pytest.FixtureRequest, parts: Parts, scope: Scope) -> list[StoredEpisode]:
    """Episodes of that many interleaved sessions."""
    parts.push(scope, [Episode(content=f"Turn {n}", session=f"s{n % request.param}") for n in range(COUNT)])
    with parts.database.tenant(scope.tenant) as connection:
        return window(connection, scope.id, 1, COUNT)


def near(told: Sequence[StoredEpisode], episode: StoredEpisode) -> list[int]:
    positions = [one.position for one in told if one.session == episode.session]
    return [position for position in positions if episode.position - REACH <= position < episode.position]


def before(parts: Parts, scope: Scope, episodes: Sequence[StoredEpisode], *, chosen: bool) -> list[int]:
    with parts.database.tenant(scope.tenant) as connection:
        return [one.position for one in episodes_before(connection, scope.id, episodes, chosen=chosen)]


@pytest.mark.parametrize("start", [0, 5, COUNT - 40])
def test_a_window_is_preceded_by_the_last_turns_of_its_sessions(
    parts: Parts, scope: Scope, told: list[StoredEpisode], start: int
) -> None:
    here = told[start : start + 40]
    firsts = {episode.session: episode for episode in reversed(here)}.values()
    last = {position for first in firsts for position in near(told[:start], first)[-TURNS_BEFORE:]}

    assert before(parts, scope, here, chosen=False) == sorted(last)


def test_chosen_episodes_are_preceded_by_the_last_turns_before_each(
    parts: Parts, scope: Scope, told: list[StoredEpisode]
) -> None:
    chosen = [told[0], told[7], told[8], told[-1]]
    last = {position for episode in chosen for position in near(told, episode)[-TURNS_BEFORE:]}

    assert before(parts, scope, chosen, chosen=True) == sorted(last)
