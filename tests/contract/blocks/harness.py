"""Scopes that are large enough for blocks, and readers of their packed blocks."""

from collections.abc import Sequence
from datetime import timedelta
from random import Random

from slowwave.core.blocks.words import COLUMNS, Block, Words
from slowwave.domain.episode import Episode, Role
from slowwave.domain.scope import Scope
from tests.conftest import NOON
from tests.contract.harness import Harness

WORDS = ["cello", "harbour", "orchard", "violin", "granite", "meadow", "lantern", "copper", "saffron", "thistle"]
ROLES: Sequence[Role] = ("user", "assistant", "tool")


def talk(count: int, *, seed: int = 7, start: int = 1, sessions: int = 9) -> list[Episode]:
    """Return *count* episodes of interleaved sessions in few words, so that many are alike and few are the same."""
    random = Random(seed)
    return [
        Episode(
            content=f"We saw {' and the '.join(random.choices(WORDS, k=random.randint(1, 6)))} number {number % 97}",
            key=f"e{number}",
            session=f"s{number // 40 % sessions if number % 5 else random.randrange(sessions)}",
            role=random.choice(ROLES),
            speaker=random.choice([None, "Ann", "Bo"]),
            occurred_at=NOON + timedelta(minutes=number),
        )
        for number in range(start, start + count)
    ]


def tell(harness: Harness, scope: Scope, episodes: Sequence[Episode]) -> None:
    """Push *episodes* and let them be prepared and consolidated."""
    for first in range(0, len(episodes), 100):
        harness.parts.push(scope, episodes[first : first + 100])
    harness.drain()


def stored(harness: Harness, scope: Scope) -> Words:
    """Return the packed words of *scope*."""
    rows = harness.rows(
        f"SELECT block, first_user, last_user, {', '.join(COLUMNS)} FROM word_blocks WHERE scope = %s ORDER BY block",
        scope.id,
    )
    return Words.laid(
        [
            Block(block, dict(zip(COLUMNS, map(bytes, columns), strict=True)), (first, last))
            for block, first, last, *columns in rows
        ]
    )


def editions(harness: Harness, scope: Scope, table: str = "word_blocks") -> dict[int, str]:
    """Return the edition of each block of *scope*."""
    return dict(harness.rows(f"SELECT block, edition::text FROM {table} WHERE scope = %s ORDER BY block", scope.id))
