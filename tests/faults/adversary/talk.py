"""Honest talk for a small model, and the judgement of the beliefs that it leaves."""

import re
from collections.abc import Sequence

from slowwave.domain.episode import Episode
from slowwave.domain.explanation import Explanation
from slowwave.domain.fact import Fact
from tests.unit.tables import table

TALK: dict[str, list[str]] = table(__file__)


def told(who: str) -> list[Episode]:
    """Return the turns of *who*, and those of the assistant between them."""
    return [
        Episode(
            content=said.removeprefix("A: "),
            key=f"{who}{number}",
            session=who,
            role="assistant" if said.startswith("A: ") else "user",
        )
        for number, said in enumerate(TALK[who])
    ]


NAMED = re.compile(r"[A-ZÀ-Ý][\w'’.-]*|\d[\d.,]*")
"""Words that are written like a name or a number."""


def inventions(fact: Fact, why: Explanation, talk: Sequence[str]) -> list[str]:
    """Return the problems of a belief that is not supported by *talk*, the turns of one user in order."""
    wrong = []
    for evidence in (evidence for step in why.steps for evidence in step.evidence):
        turn = evidence.content
        if turn not in talk:
            wrong.append(f"{turn!r} was never said to this user's agent")
            continue
        if not evidence.words.strip() or evidence.words not in turn:
            wrong.append(f"{evidence.words!r} does not stand in {turn!r}")
        wrong += [f"{one!r} was not said" for one in unsaid(fact.object, talk[: talk.index(turn) + 1])]
    return wrong if why.steps and all(step.evidence for step in why.steps) else [*wrong, "it rests on no words"]


def unsaid(words: str, talk: Sequence[str]) -> list[str]:
    """Return the names and numbers in *words* that are not in *talk*."""
    heard = " ".join(talk).casefold()
    found = (one.strip("'’.,-") for one in NAMED.findall(words))
    return [one for one in found if not re.search(rf"(?<!\w){re.escape(one.casefold())}(?!\w)", heard)]
