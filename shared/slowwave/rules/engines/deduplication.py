"""The claims of one episode without duplicates. Claims about `us` have a mark."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from slowwave.core.beliefs.identity import TOGETHER, normal
from slowwave.core.contradiction.people import EVERY
from slowwave.core.contradiction.reported_changes import MOVING, is_ours
from slowwave.core.predicates.sentences import USER
from slowwave.domain.claim import Claim
from slowwave.rules.statements import verbs
from slowwave.rules.statements.contentless_words import weight
from slowwave.rules.statements.self_reference import FINITE
from slowwave.rules.statements.words import Word, words_of

_OURS = re.compile(r"\b(?:[Ww]e|[Oo]urs?|us)\b")
_MINE = re.compile(r"\b(?:I|[Mm]y|[Mm]ine)\b")
_AND_I = re.compile(r"(?:^|[,;:] ?)(?:(?:[Mm]y|[Oo]ur) [\w-]+(?: [A-Z][\w'-]+)?|[A-Z][\w'-]+) and I\b")
"""A subject of two people: `my wife Cleo and I`."""
_SENTENCE = re.compile(r"[.!?\n]\s+")
MORE = 1
"""The weight of additional words from which a statement adds to a typed claim."""
LEAD = 30
"""The number of characters before a claim's own words that may only say when or how: `At dusk, as a rule, I play the
veena`.
"""
_OFTEN = frozenset(("once", "twice", "times", "every", "daily", "weekly", "monthly"))
"""Words that say how often somebody does something."""
_VERBS = FINITE | {"am", "i'm", "i've", "we're", "we've", "'m", "'re"}


def marked_together(claim: Claim, content: str) -> Claim:
    """Return *claim*, with a mark in its rule name if the words of the claim are about `us` and not about `me`."""
    if claim.mode != "assert":
        return claim
    start, end = claim.source.start, claim.source.end
    begin = max((one.end() for one in _SENTENCE.finditer(content, 0, start)), default=0)
    both = _AND_I.match(content, begin, end)
    words = content[max(start, both.end()) if both else start : end]
    ours = (both or _OURS.search(words)) and not _MINE.search(words)
    return replace(claim, rule=claim.rule + TOGETHER) if ours else claim


def without_duplicates(typed: Sequence[Claim], statements: Sequence[Claim], content: str) -> list[Claim]:
    """Return the numbered claims of an episode in word order. A reported change comes before the new state.

    One of *statements* that repeats *typed* claims is dropped. If a statement adds to one typed claim,
    the typed claim gets the text and the words of the statement. A typed claim may introduce a person ("my sister Ines
    is getting married"); a statement that says something else about this person uses only the name. Repeated claims
    from the same words are dropped.
    """
    claims = list(_once(typed))
    for one in statements:
        overlapping = ((number, claim) for number, claim in enumerate(claims) if _share_words(claim, one))
        beside = [number for number, claim in overlapping if (claim.predicate, claim.mode) != ("*", "correct")]
        if not beside or one.mode != "assert":
            claims.append(one)
            continue
        same = [number for number in beside if _has_verb(claims[number], content)]
        of_thing = len(same) == 1 and _is_of_thing(claims[same[0]], one)
        beyond = _beyond(one, [claims[number] for number in beside], content)
        if not of_thing and weight(beyond) < MORE and _OFTEN.isdisjoint([word.low for word in beyond]):
            continue
        if len(same) == 1 and _follows_lead(claims[same[0]], one):
            claims.append(one)
        elif not same:
            claims.append(replace(one, text=_introduced(one.text, [claims[number] for number in beside])))
        elif of_thing or (len(same) == 1 and _takes_text(claims[same[0]])):
            claims[same[0]] = replace(claims[same[0]], text=one.text, source=one.source, more_sources=one.more_sources)
    claims.sort(key=lambda one: (one.source.start, one.effect not in MOVING and not is_ours(one), one.source.end))
    return [one if one.ordinal == at else replace(one, ordinal=at) for at, one in enumerate(claims)]


def _once(typed: Sequence[Claim]) -> Iterator[Claim]:
    """Yield the claims without repetitions from the same words on the same day."""
    known: dict[tuple[str, str, str, str, object], list[Claim]] = {}
    for claim in typed:
        about = claim.subject.casefold(), claim.predicate, claim.object.casefold(), claim.mode, claim.valid_from
        if not any(_share_words(other, claim) for other in known.setdefault(about, [])):
            known[about].append(claim)
            yield claim


def _takes_text(typed: Claim) -> bool:
    """Return True if *typed* may take the text of a statement.

    Only claims of multi-valued predicates may take a text.
    """
    return typed.mode == "assert" and not typed.single_valued


def _is_of_thing(typed: Claim, claim: Claim) -> bool:
    """Return True if *typed* gives a number for a thing, and the statement *claim* is about the owner of the thing."""
    number = typed.mode == "assert" and typed.single_valued and typed.object[:1].isdigit() and "-" not in typed.object
    return number and normal(typed.subject) not in (USER, normal(claim.subject))


def _share_words(typed: Claim, claim: Claim) -> bool:
    if typed.form != "typed" or typed.mode not in ("assert", "correct") or typed.subject == EVERY:
        return False  # no fact remains after an end; perhaps none exists for a thing without a name
    source = typed.source
    return any(source.start < end and start < source.end for start, end in _spans(claim))


def _spans(claim: Claim) -> list[tuple[int, int]]:
    """Return the spans of a claim's words in its own episode."""
    sources = [claim.source, *claim.more_sources]
    return [(each.start, each.end) for each in sources if each.episode == claim.source.episode]


def _beyond(claim: Claim, typed: Sequence[Claim], content: str) -> list[Word]:
    """Return those source words of a statement that no typed claim cites."""
    taken = [(claim.source.start, claim.source.end) for claim in typed]
    return [
        word
        for start, end in _spans(claim)
        for word in words_of(content[start:end])
        if not any(begin <= start + word.start < stop for begin, stop in taken)
    ]


def _has_verb(claim: Claim, content: str) -> bool:
    """Return True if a claim's words contain a verb; the words `my sister Ines` are only a name."""
    low = [word.low for word in words_of(content[claim.source.start : claim.source.end])]
    return any(word in _VERBS or verbs.is_past(word) or verbs.lemma(word) in verbs.BASE for word in low)


def _follows_lead(typed: Claim, claim: Claim) -> bool:
    """Return True if the words of *typed* begin more than `LEAD` characters after the words of *claim* begin."""
    return typed.source.start > min(start for start, _ in _spans(claim)) + LEAD


def _introduced(text: str, typed: Sequence[Claim]) -> str:
    """Return *text* without the introductions of people in *typed*: `Ann's sister Ines` becomes `Ines`."""
    for claim in typed:
        name = claim.object.partition(" (")[0]
        if name[:1].isupper():
            text = re.sub(rf"(?:\b[Tt]heir|\b[\w ]+'s) (?:[a-z-]+ ){{1,3}}(?={re.escape(name)}\b)", "", text)
    return text[:1].upper() + text[1:]
