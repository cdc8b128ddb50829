"""Lives with news: what somebody has, plans and does, and how it ends."""

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from slowwave.domain.episode import Episode

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
KEPT = {
    "I drive a Honda": ["I sold the Honda", "Forget that I drive a Honda"],
    "I drive a Toyota": ["I sold my car", "No, I meant a Seat"],
    "My boss is Karen": ["I have a new boss", "Karen left the company"],
    "My manager is Nora": ["I have a new boss", "Nora left the company"],
    "My doctor is Anna": ["My new gp is Eve"],
    "I live in Lisbon": ["I don't live in Lisbon any more", "I just moved to Oslo"],
    "I work at Acme": ["I switched from Acme to Initech", "I quit my job"],
    "I have a red bicycle": ["I got rid of my red bicycle", "I have a red bicycle"],
    "My Spanish course is on Tuesdays": ["My Spanish course is over", "My Spanish course was moved to Friday"],
    "My sister Ana has a red bicycle": ["Ana sold her bicycle"],
    "I was born in Rome": ["I got rid of Rome"],
}
"""Statements, each with news that may follow it."""
PASSING = {
    "I want to buy a boat": ["I bought a boat"],
    "I want to visit Rome": ["I finally visited Rome"],
    "My team eats on Fridays": ["My team eats on Thursdays from now on"],
}
"""Statements, each with news that is stored only if it changes a belief."""


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
