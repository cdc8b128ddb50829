"""Honest talk for a small model, and the judgement of the beliefs that it leaves."""

import re
from collections.abc import Sequence

from slowwave.domain.episode import Episode
from slowwave.domain.explanation import Explanation
from slowwave.domain.fact import Fact

TALK = {
    "nora": [
        "Hi! I moved to Oslo last month, and my sister Ana helped with the 14 boxes.",
        "A: Congratulations! How do you like it there?",
        "It is quiet. I work at Nordlys Energy now, three days a week.",
        "A: And what do you do when you do not work?",
        "I row on Tuesdays, and I bought 2 old bikes that I want to repair.",
        "Could you look up the trains to Hamar for the weekend?",
    ],
    "tom": [
        "My name is Tom, and my dog Max turned 7 yesterday.",
        "A: Happy birthday to Max! Did you celebrate?",
        "We walked up to the lake. I am allergic to nuts, so there was no cake for me.",
        "My wife Ellen teaches physics at the school in Graz.",
        "A: That sounds like a good day.",
        "It was. Thanks for asking!",
    ],
    "mira": [
        "We decided to use Postgres 16 for Project Heron.",
        "A: Good choice. When is the launch?",
        "The launch is on 12 March, and Karen leads the team.",
        "If we had more people I would take Kafka, but we have not.",
        "Always answer me in German, please, and keep it short.",
        "A: Verstanden.",
    ],
    "luis": [
        "I live in Porto, and I have lived here since 2015.",
        "A: Do you still play chess?",
        "No, I gave up chess. I paint on Sundays with my daughter Inês.",
        "My brother says that Lisbon is better, but he is wrong.",
        "A: Would you ever move?",
        "Never. My mother is 81 and lives next door.",
    ],
    "aiko": [
        "I am a nurse at St. Mary's, on the night shift.",
        "I do not drink coffee any more; green tea keeps me awake.",
        "A: That is a change! Since when?",
        "Since January. Last summer I hiked the Kumano Kodo with 3 friends.",
        "A: How long did it take?",
        "Five days, and it rained on four of them.",
    ],
}


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
