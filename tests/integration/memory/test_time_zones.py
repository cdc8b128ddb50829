"""Where a process stands in the world changes nothing of what is remembered."""

import os
import subprocess
import sys
from collections.abc import Callable

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.memory import Memory

_ASK = """
import sys
from datetime import UTC, datetime
from slowwave import Memory
with Memory.connect() as memory:
    scope = memory.scope(user=sys.argv[1], agent=sys.argv[2])
    for one in scope.recall("where do I live?", as_of=datetime(2026, 3, 3, tzinfo=UTC)):
        print(one.text, round(one.score, 9))
"""


def test_the_ranking_in_tokyo_is_identical_to_utc(
    parts: wiring.Parts, scope: Scope, told: Callable[..., list[Episode]], url: str
) -> None:
    parts.push(scope, told("I moved to Oslo.", "I live near a lake.", "I like tea.", "Where is my boat?"))
    Memory(parts).scope(scope.user, agent=scope.agent).consolidate()

    rankings = [_asked(url, scope, zone) for zone in ("UTC", "Asia/Tokyo")]

    assert rankings[0] == rankings[1]
    assert len(rankings[0].splitlines()) >= 4


def _asked(url: str, scope: Scope, zone: str) -> str:
    env = {**os.environ, "SLOWWAVE_URL": url, "TZ": zone, "PGTZ": zone}
    done = subprocess.run(
        [sys.executable, "-c", _ASK, scope.user, scope.agent], env=env, capture_output=True, text=True, check=True
    )
    return done.stdout
