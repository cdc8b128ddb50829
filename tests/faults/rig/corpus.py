"""The episodes that the harness pushes: everyday sentences that move, change jobs, like, correct, end and forget.

The same seed gives the same corpus, with its own times, so that every run over it must end in the same beliefs.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
CADENCE = "cadence: {every: 5, max_age: PT1S, interval: PT1S}"
"""Short triggers, so that counts fire often and the remainder becomes due during a test."""

NOTHING = "What a day it was"
"""A text in which no rule matches."""

_PLACES = ["Oslo", "Lisbon", "Kyoto", "Bergen", "Porto", "Turin", "Graz", "Ghent", "Cork", "Lima"]
_FIRMS = ["Acme", "Initech", "Globex", "Umbrella", "Hooli", "Vandelay", "Stark", "Wayne"]
_THINGS = ["jazz", "tea", "hiking", "chess", "coffee", "opera"]
_TRADES = ["a nurse", "a teacher", "a baker", "an architect", "a carpenter", "a pilot"]
_NAMES = ["Ann", "Bruno", "Clara", "Dario", "Elin", "Farid"]
_ANIMALS = ["dog", "cat", "parrot"]

_TEMPLATES = [
    "I moved to {place}",
    "I just moved to {place}",
    "I live in {place}",
    "No, I meant {place}",
    "I work at {firm}",
    "I quit my job",
    "I work as {trade}",
    "I like {thing}",
    "I love {thing}",
    "I hate {thing}",
    "I don't like {thing} anymore",
    "Please forget that I like {thing}",
    "My favourite drink is {thing}",
    "My sister {name} lives in {place}",
    "My brother {name} works at {firm}",
    "I have a {animal} named {name}",
    "My wife {name} likes {thing}",
    "Did you know that I like {thing}?",
    NOTHING,
]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Episodes in the order of pushing, with scopes mixed; *seed* generated them."""

    seed: int
    said: Sequence[tuple[Scope, Episode]]

    @property
    def scopes(self) -> list[Scope]:
        """The scopes of the corpus, each once."""
        return sorted({scope for scope, _ in self.said})

    def of(self, scope: Scope) -> list[Episode]:
        """The episodes of one scope, in order."""
        return [episode for each, episode in self.said if each == scope]

    def by_scope(self) -> dict[Scope, list[Episode]]:
        """The episodes of every scope, in order; cached, because a corpus may have a million episodes."""
        found: dict[Scope, list[Episode]] = {}
        for scope, episode in self.said:
            found.setdefault(scope, []).append(episode)
        return found

    def batches(self, size: int) -> Iterator[tuple[Scope, list[Episode]]]:
        """The corpus in batches of one scope each, in the order of each scope."""
        for start in range(0, len(self.said), size):
            part = self.said[start : start + size]
            for scope in sorted({scope for scope, _ in part}):
                yield scope, [episode for each, episode in part if each == scope]


def corpus(
    *,
    seed: int = 7,
    episodes: int = 120,
    scopes: int = 3,
    tenant: str = "default",
    user: str = "user",
    marked: dict[int, str] | None = None,
    quiet: float = 0.0,
) -> Corpus:
    """Return a corpus about *user*-0, *user*-1 …; *marked* replaces the words of some episodes, by number.

    *quiet* is the share of episodes in which no rule finds anything.
    """
    dice = random.Random(seed)
    whose = [Scope(tenant, f"{user}-{number}", "concierge") for number in range(scopes)]
    marked = marked or {}
    said = []
    for number in range(episodes):
        words = dice.choice(_TEMPLATES).format(
            place=dice.choice(_PLACES),
            firm=dice.choice(_FIRMS),
            thing=dice.choice(_THINGS),
            trade=dice.choice(_TRADES),
            name=dice.choice(_NAMES),
            animal=dice.choice(_ANIMALS),
        )
        if quiet and dice.random() < quiet:
            words = f"{NOTHING}, number {number}"
        late = timedelta(days=2) if dice.random() < 0.1 else timedelta()  # an old statement is repeated now and then
        episode = Episode(
            content=marked.get(number, words),
            key=f"{user}-{number}",
            session=f"s{number // 30}",
            occurred_at=NOON + timedelta(minutes=7 * number) - late,
        )
        said.append((dice.choice(whose), episode))
    return Corpus(seed, said)


@dataclass(frozen=True, slots=True)
class Story:
    """A corpus of any length in chapters, each about people of its own: no scope grows with the whole."""

    seed: int
    user: str
    episodes: int
    chapter: int
    quiet: float = 0.0

    def chapters(self, after: int = 0) -> Iterator[Corpus]:
        """Give the chapters that are not within the first *after* episodes."""
        for number in range(after // self.chapter, -(-self.episodes // self.chapter)):
            yield corpus(
                seed=self.seed + 2 * number,
                episodes=min(self.chapter, self.episodes - number * self.chapter),
                user=f"{self.user}-{number}",
                quiet=self.quiet,
            )

    def whole(self) -> Corpus:
        """Return all chapters as one corpus."""
        return Corpus(self.seed, [each for chapter in self.chapters() for each in chapter.said])
