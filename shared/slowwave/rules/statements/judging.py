"""Judgements as statements: `It was so inspiring` after `I met a veteran` is `and found it inspiring`."""

import re
from collections.abc import Sequence

from slowwave.rules.statements import verbs
from slowwave.rules.statements.words import ADVERBS, Word, these

_TELLING = these(
    """hard tough sad difficult emotional special scary peaceful therapeutic magical tricky easy calm fun intense
    exhausting unforgettable expensive important"""
)
_ENDINGS = ("ing", "ful")
"""What an adjective ends in that says how something was for somebody."""
_FELT = these(
    """inspire move excite challenge reward exhaust frustrate relax calm refresh thrill surprise confuse fascinate
    embarrass satisfy fulfil fulfill comfort soothe overwhelm touch humble empower energize motivate bore worry scare
    shock disappoint entertain engage encourage tempt strike charm tire grip"""
)
"""Verbs whose `ing` says how something was; that of others says what somebody does: `it's reading`."""
_SAYS_NOTHING = these("amazing wonderful nothing something anything everything being going having doing interesting")
JUDGED = these("it it's that that's this which")
"""Words with which a judgement begins."""
_BESIDE = ADVERBS | frozenset(("both", "so", "!", "."))
_SUBJECT = re.compile(
    r"(?:and |but )?(?:it|that|this|which)(?P<verb>'s been | has been |'s | is | was | felt | feels )"
)


def judgement(words: Sequence[Word]) -> str:
    """Return what *words* say of how something was, to stand behind a name: `found it sad`; "" where they do not."""
    low = " ".join([word.low for word in words if word.low not in _BESIDE])
    found = _SUBJECT.match(low)
    if found is None:
        return ""
    said = low[found.end() :].replace(" but ", " and ").split(" and ")
    if len(said) > 2 or any(" " in each for each in said) or not any(says_how_it_was(each) for each in said):
        return ""
    verb = {"'s": "finds", "is": "finds", "feels": "finds", "was": "found", "felt": "found"}
    return f"{verb.get(found['verb'].strip(), 'has found')} it {' and '.join(said)}"


def says_how_it_was(word: str) -> bool:
    """Return whether an adjective says how something was for somebody: `moving`, `tough`, not `amazing`."""
    lemma = verbs.lemma(word)
    doing = word.endswith("ing") and lemma in verbs.BASE and lemma not in _FELT
    return word in _TELLING or (word.endswith(_ENDINGS) and word not in _SAYS_NOTHING and not doing)
