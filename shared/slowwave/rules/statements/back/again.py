"""Sentences that say nothing alone, read again with what they point at, or as the answers that they are."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from slowwave.domain.claim import Source
from slowwave.domain.episode import StoredEpisode
from slowwave.rules.reading import Sentence
from slowwave.rules.statements.back.asked import answered
from slowwave.rules.statements.back.recent import Heard, Recent
from slowwave.rules.statements.back.resolving import POINTING, Resolved, resolved
from slowwave.rules.statements.clauses import asks, before_call, clauses, own_part, stripped
from slowwave.rules.statements.persons import Person
from slowwave.rules.statements.pointing import hangs
from slowwave.rules.statements.sentences import Statement, statement
from slowwave.rules.statements.tellers import DOUBTED, FINITE
from slowwave.rules.statements.words import ADVERBS, OF_FIRST, SECOND, Word, these, words_of
from slowwave.rules.statements.worth import telling, weight

Take = Callable[[Sequence[Word], Sentence, Person, StoredEpisode], Iterator[Statement]]
"""How a sentence alone is read."""
LONGEST_ANSWER = 12
"""Words of a sentence that may be a short answer."""
LEAST_TELLING = 4
"""The weight of what is said of a thing that is not the speaker's own."""
LEAST_OF_OWN = 2
"""Likewise, where the speaker is in it."""
_POINTS = {word + ending for word in POINTING for ending in ("", "'s", "'re", "'ve", "'ll", "'d")} | {"there"}
_HOW = re.compile(
    r"(?:how (?:was|is|were|did|do you like|did you like|did you find)|how's|what did you think of"
    r"|did you (?:like|enjoy))\b"
)
_FOUND = re.compile(
    r"(?:it|that) (?:was|is) (?:(?:such )?an? )?(?P<how>(?:\w+ly )?[a-z-]+(?: and (?:\w+ly )?[a-z-]+)?)$"
)
_NOT_HOW = these("not no here there over good ok okay fine well nothing yes about like")


def again(sentence: Sentence, words: Sequence[Word], person: Person, recent: Recent, take: Take) -> list[Statement]:
    """Return what a *sentence* tells together with the sentences before it; nothing where that is not certain."""
    low = {word.low for word in words}
    asked = recent.question() if len(words) <= LONGEST_ANSWER and first_words(recent) else None
    if asked and (found := list(_answers(sentence, words, person, recent, asked, take))):
        return found
    if low.isdisjoint(_POINTS) or len(words) < 3:
        return []
    put = resolved(sentence, words, recent, recent.everything)
    if put is None:
        return []
    found = list(_read(put, person, recent, take))
    if asked and asked in put.cited:
        found = found or _liked(words, put, person, recent)
        return [replace(made, kind="answers") if made.kind in ("i", "we") else made for made in found]
    return found


def first_words(recent: Recent) -> bool:
    """Return whether nothing was said yet in this turn but thanks and interjections."""
    return all(len(stripped(heard.words)) <= 2 for heard in recent.said)


def _answers(
    sentence: Sentence, words: Sequence[Word], person: Person, recent: Recent, asked: Heard, take: Take
) -> Iterator[Statement]:
    text = answered(asked.words, words_of(sentence.text)) or _found(words, asked)
    if not text:
        return
    whole = replace(sentence, text=text, after="")
    told = words_of(text)
    cited = [asked]
    if any(word.low in _POINTS for word in told):
        heard = recent.earlier[: recent.earlier.index(asked) + (1 if text.startswith("I found it") else 0)]
        put = resolved(whole, told, recent, heard)
        if put is None:
            return
        whole, cited = put.sentence, [asked, *(one for one in put.cited if one is not asked)]
    for made in take(words_of(whole.text), whole, person, recent.episode):
        if not hangs(made.text, person):
            end = sentence.start + len(sentence.text.rstrip())
            yield _cited(replace(made, start=sentence.start, end=end, kind="answers"), cited)


def _found(words: Sequence[Word], asked: Heard) -> str:
    """`How was it?` and `It was great` as `I found it great`."""
    question = " ".join(word.low for word in stripped(asked.words))
    low = " ".join({"it's": "it is", "that's": "that is"}.get(word.low, word.low) for word in stripped(words))
    low = " ".join(word for word in low.rstrip(" .!").split() if word not in ADVERBS)
    found = _FOUND.match(low) if _HOW.match(question) else None
    if found is None or not _NOT_HOW.isdisjoint(found["how"].split()):
        return ""
    an = re.search(r" (?:such )?(an?) ", low)
    return f"I found it {an[1] + ' ' if an else ''}{found['how']}"


def _read(put: Resolved, person: Person, recent: Recent, take: Take) -> Iterator[Statement]:
    if asks(whole := words_of(put.sentence.text)):
        return
    words = own_part(before_call(stripped(whole)))
    if put.subject is not None and not _says(words, put.subject.text):
        return
    found = [made for made in take(words, put.sentence, person, recent.episode) if not hangs(made.text, person)]
    if not found and (made := _about(words, put, person, recent)):
        found = [made]
    for made in found:
        yield _cited(_placed(made, put), put.cited)


def _liked(words: Sequence[Word], put: Resolved, person: Person, recent: Recent) -> list[Statement]:
    """Return `I loved it` as the answer to `Did you like the book?`."""
    low = [word.low for word in words if word.low[0].isalpha() and word.low not in ADVERBS]
    if low not in [
        ["i", verb, "it"] for verb in ("loved", "liked", "enjoyed", "hated", "love", "like", "enjoy", "hate")
    ]:
        return []
    told = words_of(put.sentence.text)
    made = statement(told, "i", person, recent.episode.local, put.sentence.text, put.sentence.start)
    return [_cited(_placed(made, put), put.cited)] if made else []


def _placed(made: Statement, put: Resolved) -> Statement:
    """Return a statement that rests on the words as they were said."""
    start, end = put.back(made.start, made.end)
    return replace(made, start=start, end=end)


def _says(words: Sequence[Word], subject: str) -> bool:
    """True where a sentence says more of its subject than how it was, and what happened to the speaker counts."""
    rest = words[len(words_of(subject)) :]
    return weight(rest) >= (LEAST_OF_OWN if any(word.low in OF_FIRST for word in rest) else LEAST_TELLING)


def _about(words: Sequence[Word], put: Resolved, person: Person, recent: Recent) -> Statement | None:
    """Return what is said of a thing that was named before, whoever's it is: `The book is by my aunt`."""
    if put.subject is None or not all(one.own for one in put.cited):
        return None
    head = next(iter(clauses(words)), None)
    if (
        head is None
        or any(word.low in SECOND or word.low in DOUBTED for word in head.words)
        or FINITE.isdisjoint(head.low)
    ):
        return None
    rest = head.words[len(put.subject.text.split()) :]
    if weight(rest) < LEAST_TELLING or telling(rest) < 2:
        return None
    made = statement(head.words, "other", person, recent.episode.local, put.sentence.text, put.sentence.start)
    return None if made is None or hangs(made.text, person) else made


def _cited(made: Statement, cited: Sequence[Heard]) -> Statement:
    """Return a statement that rests on what was *cited* besides: words of its turn, and those of turns before."""
    spans = tuple((one.start, one.end) for one in cited if one.turn is None)
    turns = [(one.turn, one) for one in cited if one.turn is not None]
    beside = tuple(Source(turn.id, turn.key, turn.position, one.start, one.end) for turn, one in turns)
    return replace(made, spans=spans, beside=beside)
