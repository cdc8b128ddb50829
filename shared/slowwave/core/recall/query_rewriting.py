"""A question restated in other words, to find answers in those words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from slowwave.core.beliefs.identity import normal
from slowwave.core.graph.relations import relations_of, stems
from slowwave.core.predicates import Predicates
from slowwave.core.recall.synonyms import SAYS, NearWord, words_of
from slowwave.domain.queries.filters import EVERYTHING, Filters

MOST_STATEMENTS = 2
"""The most relations of a question that become statements, the most certain first: most questions name one."""


@dataclass(frozen=True, slots=True)
class RewrittenQuestion:
    """The *statements* that mean the same as a question, words *near* its own, *filters*, and *reasons* for the
    answers.

    A reason that ends in `_away` means that this way of restating was unavailable.
    """

    statements: Sequence[str] = ()
    near: Sequence[NearWord] = ()
    filters: Filters = EVERYTHING
    reasons: Mapping[str, float] = field(default_factory=dict)


def as_statements(question: str, subjects: Sequence[str], predicates: Predicates) -> tuple[list[str], list[NearWord]]:
    """Return *question* as statements without their object, from the relations it names, and near synonyms of its
    words.

    *subjects* are the entities it names; a statement uses the first, or the user if there is none.

    >>> from slowwave.core.predicates import Predicate
    >>> works = Predicate("works_at", aliases=("employer",), says="{subject} works at {object}")
    >>> as_statements("Who is Anna's employer?", ["Anna"], Predicates([works]))
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


def other_names(text: str, names: Sequence[str]) -> list[NearWord]:
    """Return the words of the other *names* of an entity that a question calls *text*, as near synonyms of each of its
    words.

    >>> other_names("Bob", ["Bob", "Robert"])
    [NearWord(of='bob', word='robert', weight=0.7)]
    """
    own = words_of(text)
    others = dict.fromkeys(word for name in names if normal(name) != normal(text) for word in words_of(name))
    return [NearWord(of, word, SAYS) for of in own for word in others if word not in own]
