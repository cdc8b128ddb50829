"""A reader of talk: what somebody did or said of themselves, sentence by sentence. The same episode gives the same."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from slowwave.core.beliefs.secrets import tells_secret
from slowwave.domain.episode import StoredEpisode
from slowwave.rules import reading
from slowwave.rules.reading import Sentence
from slowwave.rules.statements.apposition import behind, with_what
from slowwave.rules.statements.clauses import Clause, asks, before_call, clauses, own_part, stripped
from slowwave.rules.statements.judging import JUDGED, judgement
from slowwave.rules.statements.meant import sentences
from slowwave.rules.statements.persons import Person, spelled, told
from slowwave.rules.statements.pointing import hangs
from slowwave.rules.statements.sentences import Statement, leans, statement, undangled
from slowwave.rules.statements.telling import CONDITIONS, belongs, content, leads, stands, teller, tells
from slowwave.rules.statements.words import OF_FIRST, SECOND, SUBORDINATE, Word, these, words_of
from slowwave.rules.statements.worth import LONG, telling, worth

MOST_WORDS = 15
"""Words that say something, of one statement: of more nobody sees the point."""
MOST_JOINED = 10
LONGEST = 200
"""Characters of a statement to which nothing is joined any more."""
NEAR = 60
"""Characters between a statement and a sentence that goes on about it."""

_BETWEEN = re.compile(r"\[[^\[\]\n]{0,300}\]|[\u2600-\u27bf\U0001f000-\U0001faff]\ufe0f?")
"""What stands between sentences: something in brackets, a face."""
_BACK = these("it it's they they're this that that's these those its")
_THIRD = these("them him her he she")
_RELATIVE = frozenset(("which", "who", "whose"))


def statements(episode: StoredEpisode) -> Iterator[Statement]:
    """Return what the speaker of *episode* did or said of themselves, in the order of its words."""
    text = reading.plain(episode.content)
    text = _BETWEEN.sub(lambda found: "\n" * len(found[0]), text)
    quoted = reading.Quotations(text)
    last: Statement | None = None
    for sentence in sentences(text):
        if quoted.hold(sentence.start) or quoted.hold(sentence.start + 1):
            continue
        person = Person(" ".join((sentence.speaker or episode.speaker or "").split()))
        words: Sequence[Word] = words_of(sentence.text)
        if last and last.subject != person.subject:
            yield last
            last = None
        if asks(words):
            continue
        words = before_call(stripped(words))
        if last and (more := _with(last, words, sentence, person)):
            last = more
            continue
        for part, judged in _parts(own_part(words)):
            if judged and last and 0 <= sentence.start + part[0].start - last.end <= NEAR:
                last = _judged(last, judged, person, sentence.start + part[-1].end)
            for made in _of(part, sentence, person, episode) if not judged else ():
                more = _joined(last, made, person, spliced=text[last.end : made.start].strip() == ",") if last else None
                if more is None and hangs(made.text, person):
                    continue
                if last and more is None:
                    yield last
                last = more or made
    if last:
        yield last


def _with(last: Statement, words: Sequence[Word], sentence: Sentence, person: Person) -> Statement | None:
    """Return a statement with the sentence after it, whose `it` or `they` it explains; None for another sentence."""
    head = next(iter(clauses(words)), None) if words and words[0].low in _BACK else None
    if (
        head is None
        or len(last.text) > LONGEST
        or not 0 <= sentence.start - last.end <= NEAR
        or head.low[0] not in _BACK
    ):
        return None
    low, span = head.low, undangled(head.words)
    if any(word in SECOND for word in low):
        return None
    about = (
        low[0] not in ("it", "it's") or any(word in OF_FIRST for word in low) or telling(span) >= 2 or len(span) >= LONG
    )
    if content(span) < 2 or not about or content(span) + content(words_of(last.text)) > MOST_WORDS:
        return None
    more = spelled(told(span, person, past=False))
    if leans(f"and {more}"):
        return None
    text = f"{last.text}, and {more[0].lower()}{more[1:]}"
    return replace(last, text=text, end=sentence.start + span[-1].end)


def _parts(words: Sequence[Word]) -> Iterator[tuple[Sequence[Word], str]]:
    """The clauses of a sentence that judge what was told, and what stands between them."""
    begin = 0
    for clause in clauses(words) if any(word.low in JUDGED for word in words) else ():
        said = judgement(undangled(clause.words))
        if not said:
            continue
        place = clause.begin
        if begin < place:
            yield words[begin:place], ""
        yield clause.words, said
        begin = bisect_right(words, clause.words[-1].start, key=lambda word: word.start)
    if begin < len(words):
        yield words[begin:], ""


def _explains(clause: Clause) -> bool:
    """True for a reason, whose `it` or `they` is what the clause before it spoke of."""
    return clause.joint in ("because", "as") and not any(word in SECOND for word in clause.low)


def _joined(last: Statement, made: Statement, person: Person, *, spliced: bool) -> Statement | None:
    """Return a statement with the next one, which speaks of `it` or `them`; None where each stands alone.

    *spliced* says that nothing but a comma stands between the two.
    """
    if not 0 <= made.start - last.end <= NEAR or len(last.text) > LONGEST:
        return None
    if made.text in last.text:
        return last
    if content(words_of(last.text)) + content(words_of(made.text)) > MOST_JOINED:
        return None
    low = {word.low for word in words_of(made.text)}
    if (low.isdisjoint(_BACK | _THIRD) and not spliced) or tells_secret(made.text):
        return None
    more = made.text if made.text.startswith(person.known_as or "\0") else made.text[0].lower() + made.text[1:]
    return replace(last, text=f"{last.text}, and {more}", end=made.end, period=last.period or made.period)


def _judged(last: Statement, said: str, person: Person, end: int) -> Statement:
    if len(last.text) > LONGEST or said in last.text or content(words_of(f"{last.text} {said}")) > MOST_WORDS:
        return last
    alone = last.kind != "other" and not re.search(r", | and | but ", last.text)
    return replace(last, text=f"{last.text} and {said}" if alone else f"{last.text}, and {person.name} {said}", end=end)


def _of(words: Sequence[Word], sentence: Sentence, person: Person, episode: StoredEpisode) -> Iterator[Statement]:
    found = clauses(words)
    while found:
        size, span, kind = _taken(found, words)
        found = found[size:]
        if kind is None:
            continue
        what = behind(span, sentence)
        if not worth([*span, *words_of(what)], kind):
            continue
        if made := statement(span, kind, person, episode.local, sentence.text, sentence.start):
            end = sentence.start + len(sentence.text) + sentence.after.find(what) + len(what)
            yield with_what(made, what, person, end)


def _taken(found: Sequence[Clause], words: Sequence[Word]) -> tuple[int, Sequence[Word], str | None]:
    """Return how many clauses go into the next statement, its words, and how it tells; None where it does not."""
    lead = found[0] if found[0].joint in SUBORDINATE and len(found) > 1 and found[1].joint == "," else None
    size = 2 if lead else 1
    head = found[size - 1]
    kind = teller(head)
    if kind is None and not lead and size < len(found) and telling(head.words) >= 2 and leads(head, found[size]):
        end = found[size].words[-1].end
        return size + 1, [word for word in words if head.words[0].start <= word.start and word.end <= end], "other"
    if (lead and lead.joint in CONDITIONS) or any(clause.joint in CONDITIONS for clause in found[size : size + 1]):
        return size + 1, (), None
    if lead and (kind is None or not tells(head, kind)) and lead.joint in ("since", "after") and teller(lead) == "i":
        return size, lead.words, "i" if tells(lead, "i") else None
    if kind is None or not tells(head, kind) or (not lead and head.joint in SUBORDINATE | _RELATIVE):
        return size, (), None
    begin, taken = head.words[0].start, [head]
    if lead and stands(lead) and not (lead.joint == "since" and "last" in lead.low):
        begin = words[lead.begin].start
    for clause in found[size:]:
        depends = clause.joint in SUBORDINATE | _RELATIVE and (stands(clause) or _explains(clause))
        if not (depends or belongs(clause)) or content([w for one in (*taken, clause) for w in one.words]) > MOST_WORDS:
            break
        taken.append(clause)
    end = taken[-1].words[-1].end
    return size + len(taken) - 1, [word for word in words if begin <= word.start and word.end <= end], kind
