"""Ordinary chats, as users have them: before each turn recall is asked with it, and after it the turn is stored."""

import pytest

from slowwave.domain.scope import Scope
from slowwave.memory import Memory, MemoryScope
from slowwave.wiring import Parts

CHATS = [
    ("Where do I live?", "Where was it that I live?", "I moved to Oslo last month.", "The user lives in Oslo"),
    ("What is my sister's name?", "What's my sister's name?", "My sister's name is Ingrid.",
     "Ingrid is the user's sister"),
    ("Where do I work?", "Where is it I work?", "I work at Equinor as an engineer.", "The user works at Equinor"),
    ("What am I allergic to?", "Am I allergic to something?", "I'm allergic to peanuts.",
     "The user is allergic to peanuts"),
    ("What is my dog called?", "What do I call my dog?", "My dog is called Rufus.", "The user has a dog called Rufus"),
    ("What do I drink in the morning?", "In the morning, what do I drink?", "I love green tea in the morning.",
     "The user likes green tea in the morning"),
    ("When is my birthday?", "What day is my birthday?", "My birthday is on 14 May.", "The user's birthday is 14 May"),
    ("Which car do I drive?", "What car do I drive?", "I drive a red Volvo.", "The user drives a red Volvo"),
    ("What languages do I speak?", "Which languages do I speak?", "I speak Norwegian and a little Spanish.",
     "The user speaks Norwegian"),
    ("What is my favourite food?", "What's my favourite food?", "My favourite food is lasagne.",
     "The user's favourite food is lasagne"),
]  # fmt: skip


def chat(agent: MemoryScope, *turns: str) -> None:
    for turn in turns:
        agent.recall(turn)
        agent.push(turn, session="s1")


@pytest.mark.parametrize(("asked", "again", "answer", "fact"), CHATS, ids=[chat[3] for chat in CHATS])
def test_the_answer_ranks_above_the_question_and_the_fact_above_both(
    parts: Parts, scope: Scope, asked: str, again: str, answer: str, fact: str
) -> None:
    agent = Memory(parts).scope(scope.user, agent=scope.agent)
    chat(agent, "It rained all day here.", asked, answer, "Can you help me plan the weekend?", again)
    chat(agent, "The ferry was late again.", asked, "Thanks, that was useful.", "I saw a film about bees.", asked)

    before = [one.text for one in agent.recall(asked)]
    agent.consolidate()
    after = [one.text for one in agent.recall(asked)]

    assert before[0] == answer
    assert fact in after[:2]
    assert after.index(fact) < after.index(answer) < min(after.index(one) for one in (asked, again) if one in after)
    assert after.count(asked) <= 1
