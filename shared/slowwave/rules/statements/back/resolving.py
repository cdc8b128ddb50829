"""Sentences with what they point at put in: `They eat insects` behind `my turtles` is `my turtles eat insects`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from slowwave.rules.reading import Sentence
from slowwave.rules.statements import verbs
from slowwave.rules.statements.back.phrases import Phrase, fits, phrases
from slowwave.rules.statements.back.recent import Heard, Recent
from slowwave.rules.statements.lists.nouns import PLACES, TOGETHER
from slowwave.rules.statements.words import (
    ADVERBS,
    AUXILIARY,
    COORDINATE,
    DETERMINERS,
    FIRST,
    OF_FIRST,
    PREPOSITIONS,
    SUBORDINATE,
    Word,
    these,
)  # fmt: skip

POINTING = {
    "it": "it", "they": "they", "them": "they", "he": "he", "him": "he", "she": "she", "its": "it", "their": "they",
    "his": "he", "her": "she",
}  # fmt: skip
"""Words that point back, each with the pronoun that it is a form of."""
_OWNING = these("its their his")
_SHORT = {"re": "are", "ve": "have", "ll": "will"}
_EXPLETIVE = re.compile(
    r"it(?:'s| is| was|'s been| has been| feels| felt|'ll be| will be| would be| must be| might be)?"
    r"(?: \w+ly| so| such)*(?: an?)?(?: [\w-]+)?"
    r" (?:to|that|how|when|where|if|because|since|for (?:me|us)|having|being|seeing|knowing)\b"
    r"|it(?:'s| is| was)(?: not)?(?: just| all| only| really)*"
    r" (?:about|because|when|where|why|what|how|like|time|not|been|(?:a|one|two|three|\w+teen|\w+ty|\d+)\b)"
    r"|it (?:seems|seemed|turns|turned|looks|looked|sounds|sounded|took|takes|depends|rained|snowed|rains|snows)"
    r"|it(?:'s| is| was|'s been| has been)(?: \w+){0,3}"
    r" (?!(?:reading|painting|knitting|running|cooking)\b)\w{3,}ing\b(?! (?:and|[.!]))"
    r"|it \w+ (?:me|us|my heart|our hearts)(?: \w+)? (?:to|that|how|when|knowing|seeing|hearing|like)\b|it feels"
    r"|it (?:is |was |'s )?worth\b"
    r"|it(?:'s| is| was) (?:raining|snowing|cold|hot|warm|sunny|dark|late|early|\w+day)\b"
)
"""An *it* that means nothing that was named."""


class Resolved(NamedTuple):
    """A *sentence* with what it points at, what was *meant* in place of its subject, and what named it (*cited*)."""

    sentence: Sentence
    edits: Sequence["Edit"]
    cited: Sequence[Heard]
    subject: Phrase | None

    def back(self, start: int, end: int) -> tuple[int, int]:
        """Return where the words from *start* to *end* stand in the sentence as it was said."""
        return self._place(start, ends=False), self._place(end, ends=True)

    def _place(self, place: int, *, ends: bool) -> int:
        shift = self.sentence.start
        for edit in self.edits:
            begin = edit.start + shift
            if place < begin or (ends and place == begin):
                break
            if place < begin + len(edit.text) or (ends and place == begin + len(edit.text)):
                return self.sentence.start + (edit.end if ends else edit.start)
            shift += len(edit.text) - (edit.end - edit.start)
        return place - shift + self.sentence.start


@dataclass(frozen=True, slots=True)
class Edit:
    """A *text* in place of the characters from *start* to *end*."""

    start: int
    end: int
    text: str


def resolved(sentence: Sentence, words: Sequence[Word], recent: Recent, heard: Sequence[Heard]) -> Resolved | None:
    """Return *sentence*, whose *words* point at what was *heard* before it; None where it cannot be told."""
    edits, cited, subject, done = list[Edit](), list[Heard](), None, set[str]()
    own: list[Phrase] | None = None
    for place, word in enumerate(words):
        head = word.low.partition("'")[0]
        pronoun = POINTING.get(head) if word.low.partition("'")[2] in _ENDINGS else None
        if word.low == "there" and _is_place(words, place):
            edit = _there(words, place, heard)
            if edit is None:
                return None
            edits.append(edit[0])
            cited.append(edit[1])
            continue
        if pronoun is None or pronoun in done:
            continue
        own = phrases(words, own=True) if own is None else own
        if any(fits(one, pronoun) for one in own if one.place < place and not one.points):
            done.add(pronoun)
            continue
        if pronoun == "it" and place and _IDIOM.match(" ".join(one.low for one in words[place - 1 : place + 3])):
            return None
        if pronoun == "it" and _EXPLETIVE.match(" ".join(one.low for one in words[place:])):
            return None
        meant = recent.meant(pronoun, heard)
        if meant is None:
            return None
        done.add(pronoun)
        edits += _put(words, place, head, meant[0])
        cited.append(meant[1])
        if place == 0 or (place == 1 and words[0].low in ADVERBS):
            subject = meant[0]
    if not edits:
        return None
    return Resolved(_edited(sentence, edits), edits, list({id(one): one for one in cited}.values()), subject)


_ENDINGS = ("", "s", "re", "ve", "ll", "d")


_IDIOM = re.compile(
    r"(?:gets?|got|getting|makes?|made|making|takes?|took|keep|kept|kill|killing|killed|rock|rocking|nail|nailed|lose"
    r"|lost|hit|worth|figured?|did|done) it"
    r"(?: (?:[.,!]|and|to|through|work|happen|big|out|off|back|possible|clear|easy|up|together|all|for granted|slow"
    r"|that)|$)"
)
"""Turns of phrase whose *it* means nothing: `made it through`."""


def _edited(sentence: Sentence, edits: Sequence[Edit]) -> Sentence:
    text, last = "", 0
    for edit in edits:
        text += sentence.text[last : edit.start] + edit.text
        last = edit.end
    return replace(sentence, text=text + sentence.text[last:])


def _put(words: Sequence[Word], place: int, head: str, phrase: Phrase) -> list[Edit]:
    """The phrase in place of a pronoun, with the verb that was written short, and one that agrees."""
    word, after = words[place], words[place + 1] if place + 1 < len(words) else None
    text = phrase.text
    if head in _OWNING or (head == "her" and after is not None and _is_owned(after)):
        return [Edit(word.start, word.end, f"{text}{chr(39)}" if text.endswith("s") else f"{text}'s")]
    one = head == "they" and phrase.noun in TOGETHER and not phrase.many
    ending = word.low.partition("'")[2]
    if ending:
        verb = _in_full(ending, words, place)
        return [Edit(word.start, word.end, f"{text} {({'are': 'is', 'have': 'has'}.get(verb, verb)) if one else verb}")]
    edits = [Edit(word.start, word.end, text)]
    if one and after is not None and (agreed := _agreed(after.low)):
        edits.append(Edit(after.start, after.end, agreed))
    return edits


def _agreed(low: str) -> str:
    plain = {"are": "is", "were": "was", "have": "has", "don't": "doesn't", "aren't": "isn't", "haven't": "hasn't"}
    if low in plain:
        return plain[low]
    return verbs.third(low) if verbs.is_base(low) and not verbs.is_past(low) else ""


def _in_full(ending: str, words: Sequence[Word], place: int) -> str:
    if ending in _SHORT:
        return _SHORT[ending]
    after = next((one.low for one in words[place + 1 :] if one.low not in ADVERBS), "")
    later = [one.low for one in words[place + 1 :] if one.low not in ADVERBS][1:2]
    part = (after.endswith("ed") or after in verbs.PARTICIPLE) and not verbs.is_base(after)
    has = part and (ending == "d" or not {*later}.isdisjoint(OF_FIRST | DETERMINERS | FIRST))
    done = after in ("been", "got", "had", "become") or has
    return ("has" if done else "is") if ending == "s" else ("had" if done else "would")


def _is_owned(after: Word) -> bool:
    low = after.low
    return (
        low[0].isalnum()
        and not after.text[0].isupper()
        and not (low in PREPOSITIONS or low in COORDINATE or low in SUBORDINATE or low in ADVERBS or low in AUXILIARY)
    )


def _is_place(words: Sequence[Word], place: int) -> bool:
    """True for a *there* where something is, not of `there is`, nor of `out there`."""
    after = words[place + 1].low if place + 1 < len(words) else "."
    before = words[place - 1].low if place else ""
    return after not in _BEING and before not in _VAGUELY and place > 0


_BEING = these("is are was were am be been being has have will would 's s")
_VAGUELY = these("out in up over down hang hung hi hey hello be been get getting got almost")
_GOES = these("go come travel move head drive fly return get walk run ride cycle bike")


def _there(words: Sequence[Word], place: int, heard: Sequence[Heard]) -> tuple[Edit, Heard] | None:
    """The place that a *there* means, with the word before it: `to the beach`; None where it cannot be told."""
    for one in reversed(heard[-6:]):
        found = [each for each in one.phrases if _can_be_at(each)]
        if not found:
            continue
        if len({each.noun for each in found}) > 1 or not found[0].text:
            return None
        going = any(verbs.lemma(word.low) in _GOES for word in words[max(0, place - 2) : place])
        joint = "to" if going else "in" if found[0].who == "name" else "at"
        return Edit(words[place].start, words[place].end, f"{joint} {found[0].text}"), one
    return None


def _can_be_at(phrase: Phrase) -> bool:
    return (phrase.who == "name" and phrase.before in ("in", "to", "at", "from")) or phrase.noun in PLACES
