"""Questions to somebody, as what their short answers tell: `Where did you go?` and `To Crete` is `I went to Crete`."""

import re
from collections.abc import Sequence

from slowwave.rules.statements import verbs
from slowwave.rules.statements.clauses import stripped
from slowwave.rules.statements.words import (
    ADVERBS,
    AUXILIARY,
    DETERMINERS,
    FIRST,
    LEADING,
    OF_FIRST,
    OPENERS,
    PARTICLES,
    PREPOSITIONS,
    SECOND,
    SUBORDINATE,
    UNRESOLVED,
    Word,
    these,
)  # fmt: skip

_THANKS = these("thanks thank-you hey hi hello ha haha lol wow aww congrats")
_LAUGHS = re.compile(r"(?:a?ha-?h?)+|(?:he-?){2,}|(?:hi){2,}|(?:lo)+l")
LONGEST_ANSWER = 9
"""Words of a short answer."""
_YES = these("yes yeah yep yup yea sure absolutely definitely totally exactly indeed certainly")
_NO = these("no nope nah")
_BESIDE = these(
    "of course i we did do am was have had are were will didn't don't haven't wasn't i'm not yet , ! . really sure"
)
_ASKERS = FIRST | OF_FIRST
_ANYBODY = these("anything anyone anybody something someone or else anywhere")
_AUX = these("do did are were have had will")
_WHERE = these("to in at on near from by around outside inside along over")
_NUMBER = these("one two three four five six seven eight nine ten eleven twelve")
_TIME = re.compile(r"(?:\w+ )?(?:\w+[- ])?(?:day|week|month|year|hour|minute|decade)s?\b|since\b|for\b")
_TO_ANSWER = these("think mean say know guess feel do want plan mind suggest recommend imagine believe")
"""Verbs of questions whose answer is not what they are about."""


def answered(question: Sequence[Word], answer: Sequence[Word]) -> str:
    """Return what a short *answer* says to a *question*, in the first person; "" where it says nothing whole."""
    asked = [word.text if word.text[0].isupper() and word.start else word.low for word in stripped(question)]
    asked = [word for word in asked if word[0].isalnum()]
    if not 3 <= len(asked) <= 16 or "n't" in " ".join(asked[:2]) or any(word in _ANYBODY for word in asked):
        return ""
    if asked[0] in _AUX and asked[1] == "you":
        return _agreed(asked, answer)
    said = _said(answer)
    return _told(asked, said) if said else ""


def _agreed(asked: Sequence[str], answer: Sequence[Word]) -> str:
    """The words of a question, as said by yes or no."""
    low = [word.low for word in answer]
    first = low[0] if low else ""
    called = {number for number in range(1, len(low)) if answer[number].text[0].isupper() and low[number - 1] == ","}
    rest = [word for number, word in enumerate(low[1:], 1) if number not in called]
    if first not in _YES | _NO or any(word not in _BESIDE and word not in _YES for word in rest):
        return ""
    mine = _mine([word for word in asked[2:] if word not in ("ever", "yet", "any", "still", "already")])
    if not mine or asked[2] in _TO_ANSWER:
        return ""
    return _declared(asked[0], mine, no=first in _NO)


def _declared(aux: str, rest: Sequence[str], *, no: bool = False) -> str:
    """A question without its mark, as a statement of whoever is asked."""
    if no:
        helper = {"do": "don't", "did": "didn't", "are": "am not", "were": "wasn't", "have": "haven't",
                  "had": "hadn't", "will": "won't"}[aux]  # fmt: skip
        return " ".join(["I", helper, *rest])
    if aux in ("do", "did"):
        at = next((number for number, word in enumerate(rest) if word not in ADVERBS), 0)
        if not verbs.is_base(rest[at]) and not verbs.is_unknown_base(rest[at]):
            return ""
        verb = verbs.past(rest[at]) if aux == "did" else rest[at]
        return " ".join(["I", *rest[:at], verb, *rest[at + 1 :]])
    return " ".join(["I", {"are": "am", "were": "was"}.get(aux, aux), *rest])


def _mine(words: Sequence[str]) -> list[str]:
    """Words of who asks as those of who answers; none where they speak of who asks."""
    if any(word in _ASKERS for word in words):
        return []
    mine = [{"your": "my", "yourself": "myself", "yours": "mine"}.get(word, word) for word in words]
    return [] if any(word in SECOND for word in mine) else mine


def _said(answer: Sequence[Word]) -> list[str]:
    """The words of an answer that is no sentence of its own; none of any other."""
    words = stripped(answer)
    opened = answer[: len(answer) - len(words)]
    if any(word.low in _THANKS for word in opened) or (opened and opened[-1].low == "," and len(words) <= 2):
        return []
    words = words[: next((at for at, word in enumerate(words) if _laughs(word)), len(words))]
    while words and not words[-1].low[0].isalnum():
        words = words[:-1]
    if len(words) > 2 and words[-2].low == "," and words[-1].text[0].isupper():
        words = words[:-2]
    low = [word.low for word in words]
    if not 1 <= len(words) <= LONGEST_ANSWER or not low[0][0].isalnum() or low[0].endswith("'s") or low[0] in OPENERS:
        return []
    if any(
        word in FIRST | SECOND | UNRESOLVED | SUBORDINATE or word in AUXILIARY or verbs.is_past(word) for word in low
    ):
        return []
    if any(word in (";", ":", "?", "(", "-", "\u2013", "\u2014") for word in low) or low[0] in _YES | _NO:
        return []
    first = low[0] if _is_plain(words) else words[0].text
    return [first, *(word.text for word in words[1:])]


def _laughs(word: Word) -> bool:
    return _LAUGHS.fullmatch(word.low) is not None


def _is_plain(words: Sequence[Word]) -> bool:
    """True where the first word of an answer is no name, as far as it can be told: `To Crete`, `Jazz and blues`."""
    low = words[0].low
    if low in DETERMINERS | OF_FIRST | PREPOSITIONS | _NUMBER | LEADING or low.endswith(("s", "ing", "ly")):
        return True
    return len(words) > 1 and not words[1].text[0].isupper() and words[1].low[0].isalpha()


def _told(asked: Sequence[str], said: Sequence[str]) -> str:
    text = " ".join(said).replace(" ,", ",")
    owned = _owned(asked, said)
    if owned:
        return f"{owned} {text}"
    at = next(
        (number for number, word in enumerate(asked[:6]) if word in _AUX and asked[number + 1 : number + 2] == ["you"]),
        0,
    )
    if not at:
        return ""
    rest = _mine(asked[at + 2 :])
    if not rest or rest[0] in _TO_ANSWER:
        return ""
    for kind in (_thing, _time, _place, _count):
        if made := kind(asked[:at], asked[at], rest, said, text):
            return made
    return ""


def _owned(asked: Sequence[str], said: Sequence[str]) -> str:
    """The words before the answer to `What's your favourite dish?`: `my favourite dish is`."""
    head = asked[0] if asked[0] in ("what's", "who's") else " ".join(asked[:2])
    if head not in ("what's", "who's", "what is", "who is", "which is") or said[0] in PREPOSITIONS:
        return ""
    rest = asked[1:] if "'" in asked[0] else asked[2:]
    mine = _mine(rest)
    if len(mine) < 2 or rest[0] != "your" or any(word in verbs.BASE - _NOUNS for word in mine[1:2]) or _asks_why(mine):
        return ""
    return " ".join([*mine, "is"])


_NOUNS = these("plan dream book dance name work show dish drink fear hope")


def _asks_why(mine: Sequence[str]) -> bool:
    return not set(mine).isdisjoint(
        ("plan", "secret", "advice", "opinion", "take", "thoughts", "favorite", "favourite")
    ) and (len(mine) < 3)


def _thing(head: Sequence[str], aux: str, rest: Sequence[str], said: Sequence[str], text: str) -> str:
    """`What did you buy at the market?`: the answer stands behind the verb, or where the question ends open."""
    if head[0] not in ("what", "which", "who", "whom") or said[0] in PREPOSITIONS or said[0] in verbs.BASE:
        return ""
    if rest[-1] in PREPOSITIONS - PARTICLES or rest[-1] in ("with", "about", "for", "at", "to"):
        end = len(rest)
    elif head[0] in ("who", "whom"):
        end = 1
    else:
        end = 1
        while end + 1 < len(rest) and rest[end] == "to" and verbs.is_base(rest[end + 1]):
            end += 2
        if end < len(rest) and rest[end] in PARTICLES - PREPOSITIONS:
            end += 1
    if end < len(rest) and rest[end] not in PREPOSITIONS and rest[end] not in _WHEN:
        return ""
    return _declared(aux, [*rest[:end], text, *rest[end:]])


_WHEN = these("last this yesterday today there with")


def _time(head: Sequence[str], aux: str, rest: Sequence[str], said: Sequence[str], text: str) -> str:
    """`How long have you been married?`, `When did you move?`: the answer says when, at the end."""
    if list(head) not in (["how", "long"], ["when"], ["how", "often"], ["since", "when"]):
        return ""
    if head[0] == "how" and head[1] == "long":
        if not _TIME.search(text):
            return ""
        text = re.sub(r" (?:already|now|so far)$", "", text)
        text = text if said[0] in ("for", "since") else f"for {text}"
    elif head[0] != "how" and not re.search(
        r"\d|day|week|month|year|night|summer|winter|spring|autumn|fall|ago|ary$", text
    ):
        return ""
    return _declared(aux, [*rest, text])


def _place(head: Sequence[str], aux: str, rest: Sequence[str], said: Sequence[str], text: str) -> str:
    if list(head) != ["where"]:
        return ""
    if said[0] not in _WHERE:
        if not said[0][0].isupper():
            return ""
        text = f"{'to' if verbs.lemma(rest[0]) in ('go', 'move', 'travel', 'fly', 'drive') else 'in'} {text}"
    at = 1 if len(rest) > 1 and (rest[1] in PREPOSITIONS or rest[1] in _WHEN) else len(rest)
    return "" if rest[-1] in PREPOSITIONS else _declared(aux, [*rest[:at], text, *rest[at:]])


def _count(head: Sequence[str], aux: str, rest: Sequence[str], said: Sequence[str], text: str) -> str:
    """`How many sisters do you have?`"""
    if list(head[:2]) != ["how", "many"] or len(head) < 3 or not (said[0] in _NUMBER or said[0].isdigit()):
        return ""
    counted = text if len(said) > 1 else f"{text} {' '.join(head[2:])}"
    return _declared(aux, [rest[0], counted, *rest[1:]])
