"""A deterministic reader of statements in conversations, sentence by sentence."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from slowwave.domain.episode import StoredEpisode
from slowwave.rules import sentence_splitting
from slowwave.rules.sentence_splitting import Sentence
from slowwave.rules.statements import verbs
from slowwave.rules.statements.clauses import Clause, asks, before_call, clauses, own_part, stripped
from slowwave.rules.statements.contentless_words import has_content, informative_words
from slowwave.rules.statements.coreference import names_many, of_others, refers_back
from slowwave.rules.statements.joining import apposition, belongs, enough, goes_on, joined, named, opens, with_what
from slowwave.rules.statements.other_subjects import TEAM, in_full, of_team
from slowwave.rules.statements.phrases import JUDGED, is_platitude, praises
from slowwave.rules.statements.self_reference import (
    CONDITIONS,
    content,
    leads,
    main_verb,
    self_reference,
    stands,
    tells,
)
from slowwave.rules.statements.sentences import DATED, Statement, statement
from slowwave.rules.statements.sincerity import is_all_other_language, is_other_language, sentences, sincere_text
from slowwave.rules.statements.statement_filter import is_lost
from slowwave.rules.statements.third_person import Person
from slowwave.rules.statements.words import SECOND, SUBORDINATE, Word, words_of

_DASHES = ("-", "\u2013", "\u2014")
MOST_BETWEEN = 3
"""The maximum number of words between a statement and the statement that continues it."""
MOST_WORDS = 18
"""The maximum number of content words of one statement."""

_REASONS = ("since", "after", "because")
_DEPENDENT = SUBORDINATE | frozenset(("which", "who", "whose"))
_AS_A_CHILD = re.compile(r"\bas a (?:kid|child|boy|girl|teen)\b", re.IGNORECASE)
_OF_YOUTH = re.compile(
    r"\b(?:(?:when|since) I was|as a (?:kid|child|boy|girl|teen)|growing up|used to|back then)\b", re.IGNORECASE
)
"""Words of a memory of youth, in which `I'd watch` is a habit of that time."""
_GOING_ON = re.compile(r"\b(?:still|just|currently|been)[ ,]*$", re.IGNORECASE)
"""Words before an activity of the speaker: `Still working on a loom`."""
_WISHES = frozenset(("want", "wanna", "wish", "need", "wanted"))
"""Verbs of a wish that a *but* may cancel: `I want a cat but I'm allergic`."""
_WAVERING = ("considering", "thinking", "wondering")


def statements(episode: StoredEpisode) -> Iterator[Statement]:
    """Return the statements of the speaker of *episode* about themselves, in word order."""
    return _Reading(episode, sincere_text(episode.content)).statements()


@dataclass(slots=True)
class _Reading:
    """The state of reading an episode: its *text*, and the *last* statement, to which more may be added."""

    episode: StoredEpisode
    text: str
    last: Statement | None = None

    def statements(self) -> Iterator[Statement]:
        """Return the statements, in word order."""
        quoted, person, speaker = sentence_splitting.Quotations(self.text), None, self.episode.speaker
        found = [] if is_all_other_language(self.text) else list(sentences(self.text))
        for number, sentence in enumerate(found, 1):
            if quoted.hold(sentence.start) or quoted.hold(sentence.start + 1):
                continue
            before, person = person, Person(" ".join((sentence.speaker or speaker or "").split()))
            if before and before != person:
                yield from self._next(None)
            words = [] if "?" in sentence.text else in_full(words_of(sentence.text), sentence.text)
            if _OF_YOUTH.search(self.text, 0, sentence.start):
                words = _used_to(words)
            if words and not (asks(words) or is_other_language([word.low for word in words])):
                yield from self._stated(before_call(stripped(words)), sentence, person, leads=number < len(found))
        yield from self._next(None)

    def _next(self, made: Statement | None) -> Iterator[Statement]:
        """Give the last statement, if it is worth keeping. Then *made* becomes the last statement."""
        if self.last:
            yield from enough(self.last)
        self.last = made

    def _stated(self, words: Sequence[Word], sentence: Sentence, person: Person, *, leads: bool) -> Iterator[Statement]:
        """Give the completed statements. *leads* says that the sentence may be the topic of the next sentence."""
        if self.last and (more := goes_on(self.last, words, sentence, person)):
            self.last = more
            return
        found = False
        for part, parted in _parts(own_part(words)):
            for made in _of(part, parted, sentence, person, self.episode):
                found = True
                made = named(self.last, made) if self.last and not self._apart(self.last, made) else made
                theirs = of_others(self.text[made.start : made.end])
                if more := self._joined(made, person, theirs=theirs):
                    self.last = more
                elif theirs or refers_back(made.text, person) or is_lost(made):
                    continue
                else:
                    yield from self._next(made)
        if not found and leads and (lead := _lead(words, sentence, person, self.episode)):
            yield from self._next(lead)

    def _apart(self, last: Statement, made: Statement) -> bool:
        """Return True if words between two statements may be the referent of `it`."""
        return len(self.text[last.end : made.start].split()) > MOST_BETWEEN

    def _joined(self, made: Statement, person: Person, *, theirs: bool) -> Statement | None:
        """Return the last statement joined with *made* if one of the two is unclear without the other; else None.

        *theirs* means that *made* mentions other people.
        """
        if self.last is None or self._apart(self.last, made) or is_lost(made) or made.kind == "finds":
            return None
        if theirs and not names_many(self.last.text.split()):
            return None
        spliced = self.text[self.last.end : made.start].strip() == ","
        dashed = self.text[self.last.end : made.start].strip() in _DASHES
        return joined(self.last, made, person, spliced=spliced, dashed=dashed)


def _used_to(words: list[Word]) -> list[Word]:
    """Return the words with `used to` for each `I'd` before a verb."""
    out: list[Word] = []
    for word, after in zip_longest(words, words[1:]):
        if word.low in ("i'd", "we'd") and after is not None and verbs.is_base(after.low):
            start, end = word.start, word.end
            out += [Word(word.text[:-2], word.low[:-2], start, start), Word("used", "used", start + 1, start + 1)]
            out.append(Word("to", "to", start + 2, end))
        else:
            out.append(word)
    return out


def _lead(words: Sequence[Word], sentence: Sentence, person: Person, episode: StoredEpisode) -> Statement | None:
    """Return a statement, not about the speaker, that may be the topic of the next sentence; None if there is none."""
    if not opens(words):
        return None
    made = statement(words, "lead", person, episode.local, sentence.text, sentence.start)
    return None if made is None or refers_back(made.text, person) else made


def _parts(words: Sequence[Word]) -> Iterator[tuple[Sequence[Word], list[Clause]]]:
    """Give the parts of a sentence between clauses that only praise, each with its clauses."""
    begin, parted = 0, clauses(words)
    for clause in parted if any(word.low in JUDGED for word in words) else ():
        if praises(clause.low, whole=True):
            if begin < clause.begin:
                yield words[begin : clause.begin], clauses(words[begin : clause.begin])
            begin = bisect_right(words, clause.words[-1].start, key=lambda word: word.start)
    if begin < len(words):
        yield words[begin:], clauses(words[begin:]) if begin else parted


def _explains(clause: Clause) -> bool:
    """Return True for a reason whose `it` or `they` refers to the clause before it."""
    return clause.joint in ("because", "as") and SECOND.isdisjoint(clause.low)


def _adds(clause: Clause) -> bool:
    """Return True for a deed that needs the clause before it: `and I won`."""
    deed = clause.joint == "and" and self_reference(clause) == "i" and verbs.is_past(main_verb(clause.low)[0])
    return deed and tells(clause, "i") and not has_content(clause.words, "i")


def _completes(before: Clause, clause: Clause, kind: str) -> bool:
    """Return True if *clause* completes the clause *before*: `it wasn't the job, but I took it`."""
    if kind == "moved":
        return clause.joint == "but"
    if self_reference(clause) not in ("i", "we") or not SECOND.isdisjoint(clause.low):
        return False
    if clause.joint == "but":
        return "didn't" in before.low[:3] or not _WISHES.isdisjoint(before.low[:3])
    return clause.joint == "and" and before.joint == "when" and kind == "other"


def _is_own_deed(clause: Clause) -> bool:
    """Return True for the speaker's deed as a reason: `since I lost my job`, but not `since we last met`."""
    return self_reference(clause) == "i" and "last" not in clause.low and tells(clause, "i")


def _of(
    words: Sequence[Word], found: list[Clause], sentence: Sentence, person: Person, episode: StoredEpisode
) -> Iterator[Statement]:
    before: list[Clause] = []
    while found:
        size, span, kind = _taken(found, words)
        passed, found = found[:size], found[size:]
        if kind is None:
            before += passed
            continue
        if is_platitude(span, kind):
            before += passed
            continue
        what = apposition(span, sentence)
        going_on = (
            kind == "elided" and span[0].low not in _WAVERING and _GOING_ON.search(sentence.text[: span[0].start])
        )
        if not has_content([*span, *words_of(what)] if what else span, "i" if going_on else kind):
            continue
        who = TEAM if of_team(span) else person
        made = statement(span, kind, who, episode.local, sentence.text, sentence.start)
        if made and before and kind in ("i", "we") and _needs_more(made, who):
            longer = statement(_from(before, span, words), "other", who, episode.local, sentence.text, sentence.start)
            made = longer if longer and not refers_back(longer.text, who) else made
        before = []
        young = _AS_A_CHILD.search(sentence.text, 1, span[0].start)
        if made and not (young and made.tense == "past" and made.period is None):
            whole = f"{sentence.text}{sentence.after}"
            end = sentence.start + whole.find(what, span[-1].end) + len(what)
            yield with_what(made, what, who, end)


def _needs_more(made: Statement, person: Person) -> bool:
    """Return True for a statement that refers back, or says little more than a day: `so I'm going in on 2 May`."""
    return made.weight - DATED * (made.period is not None) < 1 or refers_back(made.text, person)


def _from(before: Sequence[Clause], span: Sequence[Word], words: Sequence[Word]) -> Sequence[Word]:
    """Return a statement's words. Put the clauses *before* in front if they are clear alone and address no person."""
    leans = not stands(before[0]) or any(not SECOND.isdisjoint(clause.low) for clause in before)
    possible = any(clause.joint in CONDITIONS for clause in before)
    if leans or possible or before[0].joint in SUBORDINATE or before[0].low[0] in verbs.BASE:
        return span
    longer = [word for word in words if before[0].words[0].start <= word.start <= span[-1].start]
    return longer if content(longer) <= MOST_WORDS else span


def _taken(found: Sequence[Clause], words: Sequence[Word]) -> tuple[int, Sequence[Word], str | None]:
    """Return the number of clauses of the next statement, its words, and its kind.

    A kind of None means no statement.
    """
    lead = found[0] if found[0].joint in SUBORDINATE and len(found) > 1 and found[1].joint == "," else None
    size = 2 if lead else 1
    head = found[size - 1]
    kind = self_reference(head)
    if (
        kind is None
        and not lead
        and size < len(found)
        and informative_words(head.words) >= 2
        and leads(head, found[size])
    ):
        end = found[size].words[-1].end
        return size + 1, [word for word in words if head.words[0].start <= word.start and word.end <= end], "other"
    if (lead and lead.joint in CONDITIONS) or any(clause.joint in CONDITIONS for clause in found[size : size + 1]):
        return size + 1, (), None
    if (
        lead
        and (kind is None or not tells(head, kind))
        and lead.joint in ("since", "after")
        and self_reference(lead) == "i"
    ):
        return size, lead.words, "i" if tells(lead, "i") else None
    if kind is None or not tells(head, kind) or (not lead and head.joint in _DEPENDENT):
        reason = found[size] if size < len(found) and not lead else None
        if reason and reason.joint in _REASONS and _is_own_deed(reason):
            return size + 1, reason.words, "i"
        return size, (), None
    begin, taken = head.words[0].start, [head]
    if lead and stands(lead) and not (lead.joint == "since" and "last" in lead.low):
        begin = words[lead.begin].start
    for clause in found[size:]:
        depends = clause.joint in _DEPENDENT and (stands(clause) or _explains(clause))
        if not (depends or belongs(clause) or _adds(clause) or _completes(taken[-1], clause, kind)):
            break
        if content([word for one in (*taken, clause) for word in one.words]) > MOST_WORDS:
            break
        taken.append(clause)
    end = taken[-1].words[-1].end
    return size + len(taken) - 1, [word for word in words if begin <= word.start and word.end <= end], kind
