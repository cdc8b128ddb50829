"""A reader of talk: what somebody did or said of themselves, sentence by sentence. The same episode gives the same."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from slowwave.domain.episode import StoredEpisode
from slowwave.rules import reading
from slowwave.rules.reading import Sentence
from slowwave.rules.statements.apposition import behind, with_what
from slowwave.rules.statements.clauses import Clause, asks, before_call, clauses, own_part, stripped
from slowwave.rules.statements.joining import NEAR, enough, goes_on, joined, opens, with_judgement
from slowwave.rules.statements.judging import JUDGED, judgement
from slowwave.rules.statements.meant import sentences
from slowwave.rules.statements.persons import Person
from slowwave.rules.statements.pointing import hangs
from slowwave.rules.statements.sentences import Statement, statement, undangled
from slowwave.rules.statements.telling import CONDITIONS, belongs, content, leads, stands, teller, tells
from slowwave.rules.statements.words import SECOND, SUBORDINATE, Word, words_of
from slowwave.rules.statements.worth import telling, worth

MOST_WORDS = 18
"""Words that say something, of one statement: of more nobody sees the point."""

_BETWEEN = re.compile(r"\[[^\[\]\n]{0,300}\]|[\u2600-\u27bf\U0001f000-\U0001faff]\ufe0f?")
"""What stands between sentences: something in brackets, a face."""
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
            yield from enough(last)
            last = None
        if asks(words):
            continue
        words = before_call(stripped(words))
        if last and (more := goes_on(last, words, sentence, person)):
            last = more
            continue
        found = False
        for part, judged in _parts(own_part(words)):
            found = found or bool(judged)
            if judged and last and 0 <= sentence.start + part[0].start - last.end <= NEAR:
                last = with_judgement(last, judged, person, sentence.start + part[-1].end)
            for made in _of(part, sentence, person, episode) if not judged else ():
                found = True
                more = joined(last, made, person, spliced=text[last.end : made.start].strip() == ",") if last else None
                if more is None and hangs(made.text, person):
                    continue
                if last and more is None:
                    yield from enough(last)
                last = more or made
        if not found and (lead := _lead(words, sentence, person, episode)):
            if last:
                yield from enough(last)
            last = lead
    if last:
        yield from enough(last)


def _lead(words: Sequence[Word], sentence: Sentence, person: Person, episode: StoredEpisode) -> Statement | None:
    """Return a sentence about something else than the speaker, as what the next one may be about; None for others."""
    if not opens(words):
        return None
    made = statement(words, "lead", person, episode.local, sentence.text, sentence.start)
    return None if made is None or hangs(made.text, person) else made


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
