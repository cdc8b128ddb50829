"""Claims of what a speaker tells of `us`, marked as such: another of the household may have news of it."""

import re
from dataclasses import replace

from slowwave.core.beliefs.identity import TOGETHER
from slowwave.domain.claim import Claim

_OURS = re.compile(r"\b(?:[Ww]e|[Oo]urs?|us)\b")
_MINE = re.compile(r"\b(?:I|[Mm]y|[Mm]ine)\b")
_AND_I = re.compile(r"(?:^|[,;:] ?)(?:(?:[Mm]y|[Oo]ur) [\w-]+(?: [A-Z][\w'-]+)?|[A-Z][\w'-]+) and I\b")
"""The subject of what two do: `my wife Cleo and I`."""
_SENTENCE = re.compile(r"[.!?\n]\s+")


def told_together(claim: Claim, content: str) -> Claim:
    """Return *claim*, under a rule's name that says so if its words in *content* tell of `us`, and not of `me`."""
    if claim.mode != "assert":
        return claim
    start, end = claim.source.start, claim.source.end
    begin = max((one.end() for one in _SENTENCE.finditer(content, 0, start)), default=0)
    both = _AND_I.match(content, begin, end)
    words = content[max(start, both.end()) if both else start : end]
    ours = (both or _OURS.search(words)) and not _MINE.search(words)
    return replace(claim, rule=claim.rule + TOGETHER) if ours else claim
