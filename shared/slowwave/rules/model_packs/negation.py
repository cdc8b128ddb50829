"""Negation: in an answer, in a model's claim, and in its quotation."""

import re
from collections import Counter

from slowwave.core.beliefs.identity import normal
from slowwave.rules.model_packs.quotes import CLAUSE_ENDS
from slowwave.rules.model_packs.reply_format import ModelClaim
from slowwave.rules.model_packs.words import SourceWords as Words
from slowwave.rules.model_packs.words import content

YES = re.compile(
    r"\W*(?:yes|yeah|yep|yup|aye|right|exactly|correct|true|sure|indeed|of course|absolutely|definitely|that's (?:right"
    r"|it|true|me)|i (?:do|did|am|was|have|will)|we (?:do|did|are|were|have|will)|ja|jawohl|genau|stimmt|klar|oui|ouais"
    r"|bien sûr|d'accord|exact|sí|si|claro|tak|da|sim|isso|hai|kyllä|joo|igen|ano|jo|evet|да|так|ναι|はい|是"
    r"|对|对的|네)\b",
    re.IGNORECASE,
)
NO = re.compile(
    r"\W*(?:no|nope|nah|never|not|wrong|nein|non|nie|não|nee|nei|nej|нет|όχι|いいえ|不|아니)\b", re.IGNORECASE
)
_DENIED = re.compile(
    r"\b(?:not|never|no longer|no more|nobody|nothing|without|hardly|\w+n't|nicht|kein\w*|nie|ne|pas)\b"
)
_NOT = ("never", "no longer", "no more")
_DENIED_NEXT = re.compile(r"\b(?:not|never|no longer|\w+n't)\s+((?:really |even |ever )?\w+)")
_DENIED_NOTHING = re.compile(
    r"\b(?:can't|cannot|can not|couldn't|could not|hardly) (?:wait|help|be happier|believe|get enough|agree more)\b"
    r"|\b(?:not|never) since\b|\bnicht (?:mehr )?seit\b|\bnot only\b|\bnicht nur\b"
    r"|\bkann(?:'s| es)? (?:nicht|kaum) erwarten\b"
)
"""Negations that do not deny the words after them: "I cannot wait" is an affirmation."""
_CONTRAST = re.compile(r", not (?:an? |the |in |on |at )?(\w+)")
_ENDED = re.compile(
    r"\b(?:stop\w*|quit\w*|gave up|lost|lack\w*|avoid\w*|dislike\w*|hate\w*|refus\w*|instead of|rather than)\b"
)


def affirmed(quote: str, claim: ModelClaim) -> str:
    """Return the clauses of a quotation that affirm the object: in "I'm no vegetarian, I eat fish" that of fish."""
    wanted = content(claim.object)
    clauses = [clause for clause in CLAUSE_ENDS.split(quote) if any(map(Words([clause]).has_form, wanted))]
    return " , ".join(clauses) or quote


def denies(claim: ModelClaim) -> bool:
    """Return whether the claim itself is negative."""
    return bool(_denials(_claim(claim)))


def further_denials(quote: str, said: ModelClaim) -> bool:
    """Return whether the quotation has more negations than the claim, in any words; `X, not Y` does not negate X."""
    claim = _claim(said)
    told = _denials(_CONTRAST.sub(lambda found: found[0] if Words([claim]).has_form(found[1]) else "", quote))
    return not told <= _denials(claim) + Counter({"not": len(_ENDED.findall(claim))})


def negates(quote: str, said: ModelClaim) -> bool:
    """Return whether the quotation negates the verb of an affirmative claim."""
    claim = _claim(said)
    if _denials(claim) or _ENDED.search(claim):
        return False
    verbs = content(said.predicate.replace("_", " "))[:1]
    return any(Words([found[1]]).has_form(verb) for found in _DENIED_NEXT.finditer(quote) for verb in verbs)


def _claim(claim: ModelClaim) -> str:
    return normal(f"{claim.predicate.replace('_', ' ')} {claim.object}")


def _denials(text: str) -> Counter[str]:
    """Return the negations in *text* with their counts; `isn't`, `never` and `no longer` count as the same."""
    found = _DENIED.findall(_DENIED_NOTHING.sub(" ", text))
    return Counter("not" if word.endswith("n't") or word in _NOT else word for word in found)
