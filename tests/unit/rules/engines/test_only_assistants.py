"""What only an assistant said is nobody's belief, and ends none, whatever its wording and whatever thanks it gets."""

import pytest

from slowwave.core.fold import Fold
from slowwave.rules import default_roots, load_pack
from tests.unit.rules.rulepacks import NINE, episode

PACK = load_pack(default_roots()[0] / "everyday")

STATED = [
    "So you live in Lisbon with your sister.",
    "You're a vegetarian, right?",
    "You work at Siemens as an engineer.",
    "I remember that you have two cats.",
    "Your dentist appointment is on Friday at 10.",
    "You told me you sold the Honda.",
    "I live in the cloud and I love jazz.",
    "My name is Ada and I'm your assistant.",
    "We moved your meeting to Tuesday.",
    "Your new GP is Dr. Hughes.",
    "As you said, your wife is called Mara.",
    "Great, you quit smoking last year!",
    "I recommend the Trattoria in Via Roma; you like pasta.",
    "Your budget is 400 euros, you want to buy a bike.",
    "User: I am allergic to nuts.",
    "> I work at Acme\nThat sounds great.",
    "You are allergic to penicillin, so avoid it.",
    "Noted: your favourite colour is green.",
    "I'm going to book the hotel for March 3.",
    "Your son Hugo starts school in September.",
    '"I moved to Oslo last week," you wrote.',
]
ENDED = [
    ("I live in Porto.", "You no longer live in Porto."),
    ("I'm a vegetarian.", "You're not a vegetarian any more."),
    ("I drive a Honda.", "You sold the Honda."),
    ("I work at Acme.", "So you quit Acme and work at Siemens now."),
    ("My dentist is Dr. Patel.", "Dr. Patel retired."),
    ("My dentist appointment is on March 3.", "Your dentist appointment moved to March 9."),
    ("My wife is called Mara.", "You and Mara broke up."),
]


def believed(*turns: tuple[str, str]) -> list[str]:
    """Return what is believed after *turns*, each a role and what was said."""
    fold = Fold(predicates=PACK.predicates)
    said = [
        episode(text, number=number, session="s", occurred=NINE, received=NINE, role=role)
        for number, (role, text) in enumerate(turns, 1)
    ]
    for claim in PACK.propose(said):
        fold.decide(PACK.predicates.canonical(claim))
    held = fold.believed(NINE)
    return [one.text or PACK.predicates.sentence(one.subject, one.predicate, one.object) for one in held]


@pytest.mark.parametrize("reply", ["Thanks!", "Can you help me with the cover letter?", "hm, not sure", "No."])
@pytest.mark.parametrize("stated", STATED)
def test_nothing_is_believed_that_an_assistant_states(stated: str, reply: str) -> None:
    assert believed(("assistant", stated), ("user", reply)) == []


@pytest.mark.parametrize("stated", STATED)
def test_a_confirmation_confirms_what_the_assistant_asked_about_the_user_or_nothing(stated: str) -> None:
    confirmed = {"You're a vegetarian, right?": ["The user's diet is vegetarian"]}
    confirmed |= {"I recommend the Trattoria in Via Roma; you like pasta.": ["The user likes pasta"]}

    assert believed(("assistant", stated), ("user", "Yes, exactly.")) == confirmed.get(stated, [])


@pytest.mark.parametrize(("told", "stated"), ENDED)
def test_nothing_ends_because_an_assistant_says_so(told: str, stated: str) -> None:
    assert believed(("user", told), ("assistant", stated), ("user", "hm")) == believed(("user", told)) != []
