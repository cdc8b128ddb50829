"""Walks from the entities that a question names along the relations that its words name, to what answers it."""

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from slowwave.core.graph.relations import Relations, left

DEEPEST = 5
"""Hops of a walk: the spouse of the author's country's capital is four."""
BEAM = 24
"""Walks that go on at each hop, those that most of the question tells of."""
SILENT = 0.25
"""What a hop costs that no word names: *the sport of Ada*, who plays a position of it."""
BACKWARDS = 0.5
"""What a hop counts for that goes from the object to whom it is said of, as one asks for who has it."""

Key = tuple[uuid.UUID, uuid.UUID]
"""A scope, and an entity of it."""


@dataclass(frozen=True, slots=True)
class Link:
    """A fact as a way from *here* to *there*, None where it leads to a value; *back* goes from object to subject."""

    fact: uuid.UUID
    relation: str
    here: Key
    there: Key | None
    back: bool = False


@dataclass(frozen=True, slots=True)
class Start:
    """An entity that a question names, and the stems of the question without that name."""

    key: Key
    name: str
    asked: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Way:
    """A walk from a *start*: the facts it went along, with the stems that named each, and the stems *left*.

    *gained* is what the words told, and what silence cost.
    """

    start: Start
    at: Key | None
    left: tuple[str, ...]
    gained: float = 0.0
    links: tuple[Link, ...] = ()
    words: tuple[frozenset[str], ...] = ()
    been: frozenset[Key] = field(default=frozenset(), repr=False)

    @property
    def silent(self) -> int:
        """The number of hops that no word names."""
        return sum(not words for words in self.words)


Onward = Callable[[Sequence[Key], Sequence[str]], Iterable[Link]]
"""Entities, and relations that are asked for, to the links from them: of those relations, and a few of any other."""


@dataclass(frozen=True, slots=True)
class Found:
    """A way that ends with an answer, and the share of the question's words for relations that it accounts for."""

    way: Way
    score: float


def follow(starts: Sequence[Start], relations: Relations, onward: Onward, *, most: int) -> list[Found]:
    """Return the *most* ways that account best for what a question asks of its entities, best first.

    Each ends at another fact. At most `DEEPEST` hops, of `BEAM` walks at once, and one hop of each that no word names;
    no further once a way accounts for all that is asked.
    """
    frontier = [Way(start, start.key, start.asked, been=frozenset([start.key])) for start in starts]
    asked = relations.named({word for start in starts for word in start.asked})
    found: list[Way] = []
    for hop in range(DEEPEST):
        frontier = [way for way in frontier if way.at and (hop == 0 or any(map(relations.weight, way.left)))]
        if not frontier:
            break
        links = _by_end(onward(_ends(frontier), asked))
        onwards = [
            next_ for way in frontier for link in links.get(way.at, ()) if (next_ := _step(way, link, relations))
        ]
        frontier = sorted(onwards, key=_rank)[:BEAM]
        found += [way for way in frontier if way.words[-1]]
        if any(_accounts_for_all(way, relations) for way in found):
            break
    return _best(found, relations, most)


def _accounts_for_all(way: Way, relations: Relations) -> bool:
    """Return whether each word of the question that names relations named a hop of *way*, forward."""
    plain = not way.silent and not any(link.back for link in way.links)
    return plain and not any(map(relations.weight, way.left))


def _ends(ways: Iterable[Way]) -> list[Key]:
    return list(dict.fromkeys(way.at for way in ways if way.at is not None))


def _by_end(links: Iterable[Link]) -> Mapping[Key | None, list[Link]]:
    found: dict[Key | None, list[Link]] = {}
    for link in links:
        found.setdefault(link.here, []).append(link)
    return found


def _step(way: Way, link: Link, relations: Relations) -> Way | None:
    """*way* with one more hop, unless it has been there, or nothing speaks for it."""
    if link.there in way.been:
        return None
    told, words = relations.match(link.relation, frozenset(way.left))
    if not words and (way.silent or link.back or link.there is None):
        return None
    return Way(
        way.start,
        link.there,
        tuple(left(way.left, words)),
        way.gained + (told * (BACKWARDS if link.back else 1.0) if words else -SILENT),
        (*way.links, link),
        (*way.words, words),
        way.been | ({link.there} if link.there else set()),
    )


def _best(found: Iterable[Way], relations: Relations, most: int) -> list[Found]:
    scored: dict[uuid.UUID, Found] = {}
    for way in sorted(found, key=_rank):
        share = way.gained / relations.whole(way.start.asked, frozenset().union(*way.words))
        score = round(min(1.0, max(0.0, share)), 6)
        fact = way.links[-1].fact
        if fact not in scored or scored[fact].score < score:
            scored[fact] = Found(way, score)
    return sorted(scored.values(), key=lambda one: (-one.score, *_rank(one.way)))[:most]


def _rank(way: Way) -> tuple[float, int, int, list[uuid.UUID]]:
    return -way.gained, len(way.links), -len(way.start.name), [link.fact for link in way.links]
