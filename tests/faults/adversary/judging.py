"""Beliefs held against talk by somebody who shares no code with the reader: what was quoted, named and counted."""

import re
from collections.abc import Sequence

from slowwave.domain.explanation import Explanation
from slowwave.domain.fact import Fact

NAMED = re.compile(r"[A-ZÀ-Ý][\w'’.-]*|\d[\d.,]*")
"""What is written like a name or a number."""


def inventions(fact: Fact, why: Explanation, talk: Sequence[str]) -> list[str]:
    """Return what is wrong with a belief that was read out of *talk*, the turns of one user in order."""
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
    """Return the names and numbers among *words* that do not stand in *talk*."""
    heard = " ".join(talk).casefold()
    found = (one.strip("'’.,-") for one in NAMED.findall(words))
    return [one for one in found if not re.search(rf"(?<!\w){re.escape(one.casefold())}(?!\w)", heard)]
