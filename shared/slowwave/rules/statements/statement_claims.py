"""Claims from statements and from requests to forget. Some statements fill a slot with one value, such as a rent."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from slowwave.core.predicates.english import single
from slowwave.domain.claim import CONFIDENCE, Certainty, Claim, Source, StatedMode
from slowwave.domain.episode import StoredEpisode
from slowwave.rules import sentence_splitting
from slowwave.rules.dates import Period
from slowwave.rules.regexes import QuickTest
from slowwave.rules.statements.clauses import clauses
from slowwave.rules.statements.reader import statements
from slowwave.rules.statements.self_reference import self_reference
from slowwave.rules.statements.sentences import Statement, statement
from slowwave.rules.statements.third_person import Person
from slowwave.rules.statements.words import DETERMINERS, LISTS, PREPOSITIONS, words_of

_WISH = re.compile(
    r"(?:please |ok |okay |no, )?(?:forget|delete|erase|(?:don't|do not) (?:remember|keep))(?: about)? "
    r"(?:(?P<back>(?:that|it|this|what i(?: just)? (?:said|told you))[.! ]*$)|(?:that )?(?P<what>.+))",
    re.IGNORECASE,
)
_WISHED = ("forget", "delete", "erase", "remember", "keep")
"""Words for a quick test. Every request to forget or keep contains one of these words."""
HOME = "home: place"
"""The slot of a home. The statement "moved to York" also fills this slot, from that time on."""
_MOST_WORDS = 5
"""The maximum number of words in the name of a slot. A longer subject is no property with a value."""
_RUNS = "runs on|is written in|is built with|is hosted on|is called|is named|'s called|'s named"
_FILLED = re.compile(
    r"^(?P<whose>the (?:team|user)'s |the |our |(?:[^'\s]+ ){0,2}?[^'\s]+'s )?(?P<what>\w[\w' /.-]*?)"
    rf"(?:(?P<runs> ?(?:{_RUNS}))| (?:is|costs|starts|begins|opens|closes"
    r"|(?:(?:was|got|has been|has|is) )?moved(?: from .+?)? to))"
    r"(?: (?:now|still|currently|officially))? (?P<value>\S.*)",
    re.IGNORECASE,
)
_STORED_AT = re.compile(
    r"^(?:The user|\S+) (?:still |now )?(?:keeps|stores|parks|moors) their (?P<what>.+?)"
    r" (?P<value>(?:in|at|on|near) .+)"
)
_MAY_BE_FILLED = QuickTest(_FILLED)
_COMMUTE = re.compile(
    r"\bcommutes?\b|\b(?:rides|drives|cycles|bikes|walks|takes|gets|goes)\b.{0,30}\bto (?:work|the office|school)\b",
    re.IGNORECASE,
)
_HOME = re.compile(
    r"^\S+ (?:(?:is|has|still|now|currently) )*"
    r"(?:(?:lives?|living|rents?|renting|kipping|crashing|lodging)(?: \w+){0,4}? (?:in|at|with|w)"
    r"|(?:stays?|staying) (?:at|with) (?:their|\w+'s)"
    r"|moved (?:in with|into|back to|to))"
    r" (?!touch|bed|tune|line|case|it\b|them\b|the |an? |another |part|full|days|nights)\S",
    re.IGNORECASE,
)
_DATE = r"\d{1,2} (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{4}"
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_VALUES = (
    ("day", re.compile(rf"(?:(?:due|planned|scheduled|booked|set|on|for|at|by|in|until) )*(?:{_DATE}|{_DAY})\b", re.I)),
    ("number", re.compile(r"(?:(?:about|around|over|under|nearly|at|up to|down to) )*[£$€]?\d")),
    ("place", re.compile(r"(?:in|at|on|with|near|outside) (?:the )?(?!I\b)[A-Z]")),
    ("name", re.compile(r"(?!I\b)(?:[A-Z]|[a-z][\w-]*(?:\.[\w-]+)+)")),
)
"""The kinds of values, each with a pattern for its start. A slot holds one value of each kind."""
_OF_MANY = LISTS["one of many"]
"""Nouns for things of which people have several, or that are too general alone."""
MOST_CLAIMS = 100
"""The maximum number of claims of one episode. An episode with more claims is not talk."""
_KINDS = {
    "i": "did",
    "we": "did-with-others",
    "elided": "left-out",
    "finds": "judges",
    "moved": "came-to-think",
    "shows": "has-to-show",
    "my": "of-theirs",
    "holds": "holds",
    "other": "has-to-do-with",
    "thing": "of-a-thing",
}
"""The rule names of statements, by the kind of reference to the speaker."""
_OF_SELF = ("i", "we", "elided")
"""The kinds of statements about the speaker."""
_HEDGED = re.compile(r"\b(?:maybe|perhaps|probably|possibly|might|not sure|thinks?|guess)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Wish:
    """A request to forget. *what* is the statement to forget; if it is None, the request means the last statement."""

    subject: str
    what: Statement | None
    start: int
    end: int


def wishes(episode: StoredEpisode) -> Iterator[Wish]:
    """Return the requests in *episode* to forget something, in word order."""
    low = episode.content.lower()
    if not any(word in low for word in _WISHED):
        return
    for sentence in sentence_splitting.sentences(sentence_splitting.plain(episode.content), frozenset()):
        found = _WISH.match(sentence.text)
        if found is None:
            continue
        person = Person(" ".join((sentence.speaker or episode.speaker or "").split()))
        start, end = sentence.start + found.start(), sentence.start + found.end()
        if found["back"]:
            yield Wish(person.subject, None, start, end)
            continue
        text, place = found["what"], sentence.start + found.start("what")
        words = words_of(text)
        head = next(iter(clauses(words)), None)
        kind = self_reference(head) if head else None
        what = statement(words, kind, person, episode.local, text, place) if kind else None
        if what:
            yield Wish(person.subject, what, start, end)


def slot_of(text: str) -> str | None:
    """Return the slot that a sentence fills, with the kind of its value; None if the sentence fills no slot.

    >>> slot_of("Nora's rent is 950 a month"), slot_of("The team's ci runs on jenkins"), slot_of("The server is a.b.c")
    ('rent: number', 'ci: name', 'server: name')
    >>> slot_of("Nora's thesis is due on 9 May 2026"), slot_of("Nora's thesis deadline is 23 May 2026")
    ('thesis deadline: day', 'thesis deadline: day')
    >>> slot_of("Nora's caravan is at Filey"), slot_of("Nora keeps their caravan in Whitby")
    ('caravan: place', 'caravan: place')
    >>> slot_of("Nora cycles to work"), slot_of("Nora commutes by train")
    ('commute: way', 'commute: way')
    >>> slot_of("Nora's brother is Tom"), slot_of("Nora's car is red"), slot_of("Nora is in Paris")
    (None, None, None)
    """
    if _COMMUTE.search(text):
        return "commute: way"
    if _HOME.match(text):
        return HOME
    stored = _STORED_AT.match(text)
    found = stored or (_FILLED.match(text) if _MAY_BE_FILLED.in_(text) else None)
    if found is None:
        return None
    words, value = found["what"].lower().split(), found["value"]
    if len(words) > 1 and words[0] in ("new", "current", "present", "latest"):
        words.pop(0)
    if len(words) > 1 and words[-1] == "name":
        words.pop()
    head = words[-1].rpartition("'s")[2] or words[-1]
    if len(words) > _MOST_WORDS or head in _OF_MANY or single(head) != head:
        return None
    if any(word in DETERMINERS or word in PREPOSITIONS for word in words):
        return None
    kind = (
        "name"
        if not stored and found["runs"]
        else next((kind for kind, begins in _VALUES if begins.match(value)), None)
    )
    due = value.lower().startswith("due ")
    if kind is None or not (found["whose"] or due if not stored else kind == "place"):
        return None
    return f"{' '.join(words)}{' deadline' if due and head != 'deadline' else ''}: {kind}"


@dataclass(frozen=True, slots=True)
class StatementClaims:
    """A maker of claims from statements, under the name of a *pack* and its *version*."""

    pack: str
    version: int

    def claims(self, episode: StoredEpisode) -> list[Claim]:
        """Return the statements of *episode* and its requests to forget, in order."""
        found: list[Statement | Wish] = list(islice(statements(episode), MOST_CLAIMS))
        found += islice(wishes(episode), MOST_CLAIMS)
        ordered = sorted(found, key=lambda one: (one.start, one.end))
        return [self._claim(one, number, episode) for number, one in enumerate(ordered[:MOST_CLAIMS])]

    def _claim(self, one: Statement | Wish, ordinal: int, episode: StoredEpisode) -> Claim:
        statement = one.what if isinstance(one, Wish) else one
        mode: StatedMode = "forget" if isinstance(one, Wish) else "assert"
        certainty: Certainty = "uncertain" if statement and _HEDGED.search(statement.text) else "explicit"
        spans = [*(one.spans if isinstance(one, Statement) else ()), (one.start, one.end)]
        first, *more = [Source(episode.id, episode.key, episode.position, *span) for span in spans]
        period, occurred = statement.period if statement else None, episode.occurred
        slot = slot_of(statement.text) if statement and mode == "assert" else None
        if statement and (statement.kind not in _OF_SELF if slot == HOME else statement.tense == "past"):
            slot = None
        begun = period and mode == "assert" and _begun(statement, period, occurred)
        kind = "forget" if mode == "forget" or statement is None else _KINDS[statement.kind]
        return Claim(
            subject=one.subject,
            predicate=slot or (statement.predicate if statement else "*"),
            object=(statement.text if mode == "forget" else statement.object) if statement else "",
            mode=mode,
            certainty=certainty,
            confidence=CONFIDENCE[certainty],
            valid_from=period.start if period and begun else occurred,
            valid_to=None,
            single_valued=slot is not None,
            rule=f"{self.pack}/{kind}@{self.version}",
            session=episode.session,
            source=first,
            ordinal=ordinal,
            more_sources=tuple(more),
            form="statement",
            text=statement.text if statement and mode == "assert" else "",
            tense=statement.tense if statement and slot != HOME else "current",
        )


def _begun(statement: Statement | None, period: Period, occurred: datetime) -> bool:
    """Return whether a claim is valid from the past start of *period*. A plan is valid only from the turn on."""
    ahead = statement is not None and statement.tense == "future" and period.end > occurred
    return period.start < occurred and not ahead
