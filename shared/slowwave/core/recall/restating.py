"""A question said again in other words, so that what answers it in those words is found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from slowwave.core.beliefs.identity import normal
from slowwave.core.graph.relations import relations_of, stems
from slowwave.core.predicates import Predicates
from slowwave.core.recall.nearness import SAYS, NearWord, words_of
from slowwave.domain.reading.filters import EVERYTHING, Filters

MOST_STATEMENTS = 2
"""Relations of a question that are said as statements, the surest first: most questions name one."""


@dataclass(frozen=True, slots=True)
class Restated:
    """The *statements* that mean what a question asks, words *near* its own, *filters*, and the *reasons* to tell.

    A reason that ends in `_away` says that nobody restated it that way.
    """

    statements: Sequence[str] = ()
    near: Sequence[NearWord] = ()
    filters: Filters = EVERYTHING
    reasons: Mapping[str, float] = field(default_factory=dict)


def stated(question: str, subjects: Sequence[str], predicates: Predicates) -> tuple[list[str], list[NearWord]]:
    """Return *question* as statements without their object, by the relations it names, and their words near its own.

    *subjects* are whom it names; a statement is made of the first, the user where there is none.

    >>> from slowwave.core.predicates import Predicate
    >>> works = Predicate("works_at", aliases=("employer",), says="{subject} works at {object}")
    >>> stated("Who is Anna's employer?", ["Anna"], Predicates([works]))
    (['Anna works at'], [NearWord(of='employer', word='works', weight=0.7)])
    """
    relations, words = relations_of(predicates), words_of(question)
    asked = frozenset(stems(question))
    found = sorted(((*relations.match(name, asked), name) for name in relations.named(asked)), key=lambda one: -one[0])
    statements, near = list[str](), list[NearWord]()
    for _, told, name in found[:MOST_STATEMENTS]:
        bare = predicates.sentence("", name, "").strip()
        statements.append(" ".join(predicates.sentence(subjects[0] if subjects else "user", name, "").split()))
        saying = [word for word in words if set(stems(word)) & told]
        near += [
            NearWord(of, word, SAYS)
            for word in words_of(bare)
            if stems(word) and not set(stems(word)) & asked
            for of in saying
        ]
    return statements, near


def other_names(said: str, names: Sequence[str]) -> list[NearWord]:
    """Return the words of the other *names* of whom a question calls *said*, each near every word of that.

    >>> other_names("Bob", ["Bob", "Robert"])
    [NearWord(of='bob', word='robert', weight=0.7)]
    """
    own = words_of(said)
    others = dict.fromkeys(word for name in names if normal(name) != normal(said) for word in words_of(name))
    return [NearWord(of, word, SAYS) for of in own for word in others if word not in own]
