"""A long sample conversation for benchmarks: facts stated once, small talk, and questions many turns later."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

_TOPICS = (
    "kitchen renovation", "cello lessons", "allotment garden", "school play", "boat repair", "sourdough course",
    "choir trip", "bicycle tour", "attic conversion", "photo exhibition", "chess club", "beehive in the yard",
    "wedding of Ines", "roof inspection", "language exam", "puppy training", "charity run", "old piano", "book circle",
    "pottery workshop", "star party", "film archive", "cider pressing", "vegetable stall", "night train journey",
    "ceramics fair", "physiotherapy", "tax return", "house swap", "street festival",
)  # fmt: skip
_PEOPLE = ("Marta", "Jonas", "Aisha", "Piotr", "Leonie", "Tariq", "Greta", "Hugo", "Noor", "Sven", "Yuki", "Carla")
_PLACES = ("Ghent", "Turku", "Porto", "Graz", "Lund", "Cork", "Riga", "Bologna", "Nantes", "Bergen", "Basel", "Split")
_THINGS = ("ladder", "cash box", "projector", "tarpaulin", "tea urn", "toolbox", "trestle table", "extension lead")
_DAYS = ("the second Sunday in May", "Whit Monday", "the last Friday of June", "the ninth of October", "Candlemas")
_FLAWS = ("the wiring", "the insurance", "a cracked pane", "the parking permit", "overtime", "a missing signature")
_TOLD = (
    ("For the {topic}, {person} brings the {thing} over from {place}.", "Who brings the {thing} for the {topic}?"),
    ("The {topic} costs {number} euros more than planned, because of {flaw}.", "Why is the {topic} dearer now?"),
    ("We put the {topic} off until {day}, {person} cannot come before.", "Until when is the {topic} put off?"),
    ("{person} from {place} knows most about the {topic}, says my aunt.", "Whom could I ask about the {topic}?"),
)
_SMALL = (
    "The rain has not stopped since breakfast.", "I could do with another coffee.", "What a long week this was.",
    "The neighbours are practising the trumpet again.", "I slept badly, the moon was so bright.",
    "My feet hurt from all the walking.", "There is a fox in the street again.",
)  # fmt: skip
_REPLIES = (
    "I see.", "That sounds good.", "Thanks for telling me.", "Understood.", "Oh, nice.", "All right, noted.",
    "Let me look.", "One moment, please.",
)  # fmt: skip
ASKED, TOLD = 0.35, 0.45
"""The shares of user turns that ask and that state something; the rest is small talk."""
LED_IN = 0.65
"""The share of questions for which an earlier turn mentions the topic."""
SOONEST = 10
"""Turns between a statement and the first question about it."""


@dataclass(frozen=True, slots=True)
class Said:
    """A user's *words* with their *key*, and the assistant's reply; *needs* is the key of the answering turn."""

    key: str
    words: str
    reply: str
    needs: str | None = None


def talk(turns: int, *, seed: int = 1) -> Iterator[Said]:
    """Give a conversation of *turns* turns, including the assistant's; equal seeds give equal conversations."""
    chance = random.Random(seed)
    facts, told, number = _facts(chance), list[tuple[int, str, str]](), 0
    while number < turns // 2:
        old = [one for one in told if number - one[0] >= SOONEST // 2]
        kind = chance.random()
        if old and kind < ASKED:
            at, topic, question = chance.choice(old)
            if chance.random() < LED_IN:
                yield Said(f"t{number}", f"Coming back to the {topic} for a moment.", f"Yes, the {topic}. Go on.")
                number += 1
            yield Said(f"t{number}", question, chance.choice(_REPLIES), f"t{at}")
        elif kind < ASKED + TOLD and (fact := next(facts, None)):
            topic, words, question = fact
            told.append((number, topic, question))
            yield Said(f"t{number}", words, chance.choice(_REPLIES))
        else:
            yield Said(f"t{number}", chance.choice(_SMALL), chance.choice(_REPLIES))
        number += 1


def _facts(chance: random.Random) -> Iterator[tuple[str, str, str]]:
    """Give topics, each with a statement about it and a question that it answers; all different."""
    for topic in chance.sample(_TOPICS, len(_TOPICS)):
        for words, question in chance.sample(_TOLD, len(_TOLD)):
            details = {
                "topic": topic,
                "person": chance.choice(_PEOPLE),
                "place": chance.choice(_PLACES),
                "thing": chance.choice(_THINGS),
                "day": chance.choice(_DAYS),
                "flaw": chance.choice(_FLAWS),
                "number": chance.randrange(100, 1_000),
            }
            yield topic, words.format(**details), question.format(**details)
