"""Walks along facts, from the entities that a question names, by the question's relations or on the shortest paths."""

import uuid
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from slowwave.core.graph.relations import Relations, left
from slowwave.domain.graph import RelationshipEdge

DEEPEST = 5
"""The maximum number of hops of a walk. "The spouse of the author's country's capital" takes four hops."""
BEAM = 24
"""The number of walks that are kept at each hop. These walks account for most of the question."""
SILENT = 0.25
"""The cost of a hop that no word of the question names."""
BACKWARDS = 0.5
"""The factor for a hop from object to subject, which answers, for example, a question for the owner of a thing."""

Key = tuple[uuid.UUID, uuid.UUID]
"""A scope, and an entity of the scope."""
MOST_CONNECTED = 4
"""The maximum number of entities of a question between which paths are searched. They make 6 pairs."""


@dataclass(frozen=True, slots=True)
class Link:
    """A fact as a step from *here* to *there*.

    *there* is None for a value. *back* is True for a step from object to subject.
    """

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
    """A walk from *start*: its facts, the question's stems that named each fact, and the question's other stems
    (*left*).

    *gained* is the weight of the matched words minus the cost of the unnamed hops.
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
        """The number of hops that no word of the question names."""
        return sum(not words for words in self.words)


Onward = Callable[[Sequence[Key], Sequence[str]], Iterable[Link]]
"""A function of entities and requested relations. It gives the entities' links by these relations, and a few other
links."""


@dataclass(frozen=True, slots=True)
class Found:
    """A walk that ends with an answer.

    *score*, in [0, 1], is the weight that the walk *gained*, divided by the weight of all relation words of the
    question.
    """

    way: Way
    score: float


def follow(starts: Sequence[Start], relations: Relations, onward: Onward, *, most: int) -> list[Found]:
    """Return the walks that best match the relations in a question, best first, up to the number *most*.

    No two walks end with the same fact. A walk has at most `DEEPEST` hops and one hop that the question does not name.
    At most `BEAM` walks are continued at once. The search stops when a walk matches the whole question.
    """
    frontier = [Way(start, start.key, start.asked, been=frozenset([start.key])) for start in starts]
    asked = relations.named({word for start in starts for word in start.asked})
    found: list[Way] = []
    for hop in range(DEEPEST):
        frontier = [way for way in frontier if way.at and (hop == 0 or any(map(relations.weight, way.left)))]
        if not frontier:
            break
        links: dict[Key, list[Link]] = defaultdict(list)
        for link in onward(list(dict.fromkeys(way.at for way in frontier if way.at)), asked):
            links[link.here].append(link)
        onwards = [
            next_
            for way in frontier
            if way.at
            for link in links.get(way.at, ())
            if (next_ := _step(way, link, relations))
        ]
        frontier = sorted(onwards, key=_rank)[:BEAM]
        found += [way for way in frontier if way.words[-1]]
        if any(_accounts_for_all(way, relations) for way in found):
            break
    return _best(found, relations, most)


def _accounts_for_all(way: Way, relations: Relations) -> bool:
    """Return whether each relation word of the question named a forward hop of *way*."""
    plain = not way.silent and not any(link.back for link in way.links)
    return plain and not any(map(relations.weight, way.left))


def _step(way: Way, link: Link, relations: Relations) -> Way | None:
    """Return *way* with one more hop.

    Return None if *way* has already visited the entity. Also return None for a hop that no word of the question names,
    unless it is the only such hop of the walk, goes forward, and leads to an entity.
    """
    if link.there in way.been:
        return None
    weight, words = relations.match(link.relation, frozenset(way.left))
    if not words and (way.silent or link.back or link.there is None):
        return None
    return Way(
        way.start,
        link.there,
        tuple(left(way.left, words)),
        way.gained + (weight * (BACKWARDS if link.back else 1.0) if words else -SILENT),
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


def connecting(edges: Iterable[RelationshipEdge], named: Sequence[uuid.UUID]) -> Mapping[uuid.UUID, float]:
    """Return the facts on a shortest path between any two entities in *named*, each with the value 1 / length of the
    path.

    The search is breadth first, in both directions of a fact. *edges* are tried in their order, which begins with the
    heaviest.
    """
    around: dict[uuid.UUID, list[tuple[uuid.UUID, uuid.UUID]]] = defaultdict(list)
    for edge in edges:
        around[edge.source].append((edge.target, edge.fact))
        around[edge.target].append((edge.source, edge.fact))
    found: dict[uuid.UUID, float] = {}
    for one, other in combinations(named[:MOST_CONNECTED], 2):
        way = _shortest(around, one, other)
        for fact in way:
            found[fact] = max(found.get(fact, 0.0), 1 / len(way))
    return found


def _shortest(
    around: Mapping[uuid.UUID, Sequence[tuple[uuid.UUID, uuid.UUID]]], start: uuid.UUID, end: uuid.UUID
) -> list[uuid.UUID]:
    """Return the facts of one of the shortest paths, or an empty list if there is no path."""
    came: dict[uuid.UUID, tuple[uuid.UUID, uuid.UUID]] = {}
    waiting = deque([start])
    while waiting and end not in came:
        here = waiting.popleft()
        for there, fact in around.get(here, ()):
            if there != start and there not in came:
                came[there] = here, fact
                waiting.append(there)
    way: list[uuid.UUID] = []
    while end in came:
        end, fact = came[end]
        way.append(fact)
    return way
