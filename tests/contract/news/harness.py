"""Lives with news: what somebody has, plans and does, and how it ends."""

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from slowwave.domain.episode import Episode
from tests.unit.tables import table

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
ROWS = table(__file__)
KEPT: dict[str, list[str]] = ROWS["kept"]
PASSING: dict[str, list[str]] = ROWS["passing"]


def life(seed: int, *, passing: bool = True, length: int = 8) -> list[str]:
    """Return *length* statements with their news, with or without *passing* news, mostly in order."""
    dice = random.Random(seed)
    matters = dice.sample(sorted((KEPT | PASSING if passing else KEPT).items()), length)
    told = [(dice.random(), about) for about, _ in matters]
    told += [(dice.random() + 0.4, dice.choice(news)) for _, news in matters]
    return [one for _, one in sorted(told)]


def episodes(told: Sequence[str], *, dice: random.Random | None = None) -> list[Episode]:
    """Return the episodes of *told*, an hour apart; with *dice*, some are about earlier hours."""
    return [
        Episode(
            content=one, key=f"k{number}", session="s1",
            occurred_at=NOON + timedelta(hours=number) - timedelta(hours=dice.choice([0, 0, 0, 2, 5]) if dice else 0),
        )
        for number, one in enumerate(told, 1)
    ]  # fmt: skip
