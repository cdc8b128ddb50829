"""Summaries in a model's words: the requests, and the check of replies for names and numbers that are in no source."""

import hashlib
import json
import re
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from slowwave.core.predicates.english import FUNCTION_WORDS, TEXTS, these
from slowwave.core.summaries.extractive_summary import SENTENCE_CHARACTERS, SENTENCES, Line
from slowwave.core.tokens import request, tokens
from slowwave.domain.claim import Source
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.model_calls import NUMBER, TEXT, Chunk, Words, list_schema, object_schema
from slowwave.errors import Unreadable

_WORD = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]\w*")
_BEGINS = re.compile(r"[.!?:\n]\W*$")
"""The text before the first word of a sentence, or before a word after a speaker's name."""
REACH = 10
"""The number of characters before a word that are searched for this text."""
_PLAIN = FUNCTION_WORDS | these(TEXTS["not names"])
"""Words that may begin a sentence with a capital letter without being names."""
TALK_TOKENS = 3_200
"""The maximum number of tokens of turns in a request, because models read longer requests less well. The next request
takes the other turns.
"""
TURN_CHARACTERS = 6_000
"""The number of characters of a turn that a model is shown."""
REPLY_TOKENS = 1_600
"""The maximum number of tokens of a reply: enough for twelve sentences of 300 characters with their numbers."""
PROMPT = f"""You keep a summary. Write at most {SENTENCES} sentences, each on one matter and of at most \
{SENTENCE_CHARACTERS} characters, in the order of time, in the language of the messages.
Each sentence must be understood alone: say who instead of "I", "he" or "she".
Copy names, numbers and days as they are written. Add nothing that is not there, and no thoughts of your own.
Where something has changed, say what holds now.
With each sentence name the numbers of the lines that it rests on.
Answer with JSON: {{"lines": [{{"text": "Ann moved to Oslo.", "from": [1, 4]}}]}}"""
UPDATE = """Previous summary:
{previous}

New messages:
{new}

Update the summary to include the new information concisely."""
MERGE_PROMPT = "Summarize these related items:\n\n{items}"
NOTHING = "(none)"
SCHEMA = object_schema(lines=list_schema(object_schema(**{"text": TEXT, "from": list_schema(NUMBER)})))
READING = 1
"""The version of the reply parser, which is a part of the prompt's version."""


def count_unsupported(lines: Iterable[str], texts: Iterable[str]) -> Counter[Literal["names", "numbers"]]:
    """Count the names and numbers in *lines* that occur in none of *texts*.

    A name is a capitalised word. At the start of a sentence, function words do not count. Numbers are equal if they are
    written in the same way.

    >>> dict(count_unsupported(["user: Ann paid Bob 30 euros."], ["Ann: I paid 20 euros to my friend Ann."]))
    {'names': 1, 'numbers': 1}
    """
    known = {word.casefold() for text in texts for word in _WORD.findall(text)}
    return Counter(kind for line in lines for kind, word in _names_and_numbers(line) if word.casefold() not in known)


def _names_and_numbers(line: str) -> Iterator[tuple[Literal["names", "numbers"], str]]:
    for found in _WORD.finditer(line):
        word = found.group()
        if word[0].isdigit():
            yield "numbers", word
        elif word[0].isupper() and word != "I" and not (_begins(line, found.start()) and word.casefold() in _PLAIN):
            yield "names", word


def _begins(line: str, start: int) -> bool:
    """Return whether a sentence, or the text after a speaker's name, begins at *start*."""
    before = line[max(0, start - REACH) : start]
    return start == 0 or _BEGINS.search(before) is not None


@dataclass(frozen=True, slots=True)
class Reading:
    """The *lines* of a reply.

    A rejected reply has no lines. *reasons* counts the reasons for the rejection, and *unsaid* is a line with words
    that nobody said.
    """

    lines: Sequence[Line] = ()
    reasons: Counter[str] | None = None
    unsaid: str = ""


@dataclass(frozen=True, slots=True)
class ModelSummariser:
    """A summariser that plans requests to *model* (a name with settings), and reads the replies. It makes no calls."""

    model: str

    @property
    def edition(self) -> str:
        """The model, and a digest of all settings that affect a reply.

        After a change of the edition, the same turns make a new request.
        """
        settings = json.dumps([PROMPT, UPDATE, MERGE_PROMPT, SCHEMA, READING], sort_keys=True)
        return f"{self.model} retell-{hashlib.sha256(settings.encode()).hexdigest()[:10]}"

    def update(
        self, previous: Sequence[Line], turns: Sequence[StoredEpisode], before: Sequence[StoredEpisode]
    ) -> Chunk:
        """Return the request for a new summary from the *previous* summary and new *turns*.

        *before* are the episodes of the previous summary.
        """
        new_lines = [
            (shown(turn), [Source(turn.id, turn.key, turn.position, 0, min(len(turn.content), TURN_CHARACTERS))])
            for turn in turns
        ]
        old = [(line.text, line.sources) for line in previous]
        parts = (_numbered(old) or [NOTHING], _numbered(new_lines, after=len(old)) or [NOTHING])
        asked = UPDATE.format(previous="\n".join(parts[0]), new="\n".join(parts[1]))
        return _chunk(asked, [*old, *new_lines], turns, before)

    def together(self, items: Sequence[Sequence[Line]], episodes: Sequence[StoredEpisode]) -> Chunk:
        """Return the request for one summary of several summaries (*items*), which are based on *episodes*."""
        parts, lines = list[str](), list[tuple[str, Sequence[Source]]]()
        for item in items:
            old = [(line.text, line.sources) for line in item]
            parts.append("\n".join(_numbered(old, after=len(lines))))
            lines += old
        return _chunk(MERGE_PROMPT.format(items="\n\n".join(parts)), lines, episodes, ())

    def read(self, chunk: Chunk, reply: str) -> Reading:
        """Return the lines of a *reply* to *chunk*, or the reasons for a rejection.

        Raises `Unreadable` for an invalid reply.
        """
        rests: list[list[list[Any]]] = chunk.words.noted.get("rests", [])
        lines = [_line(one, rests) for one in _lines_of(reply)]
        known = list(_items(chunk))
        made_up = [(line, found) for line in lines if (found := count_unsupported([line.text], known))]
        if made_up:
            reasons = Counter(f"refused_unsaid_{kind}" for _, found in made_up for kind in found)
            return Reading((), reasons, made_up[0][0].text)
        return Reading(lines) if lines else Reading((), Counter(refused_empty=1))

    def smallest(self) -> Chunk:
        """Return a test request with one invented turn, which any working model can summarise."""
        source = Source(uuid.UUID(int=1), "case", 1, 0, 1)
        turn: list[tuple[str, Sequence[Source]]] = [("user: I moved to Oslo.", [source])]
        return _chunk(UPDATE.format(previous=NOTHING, new="\n".join(_numbered(turn))), turn, (), ())


def fitting(turns: Sequence[StoredEpisode]) -> list[StoredEpisode]:
    """Return the first of *turns*, as many as fit into one request, but at least one turn."""
    chosen, room = list[StoredEpisode](), TALK_TOKENS
    for turn in turns:
        room -= tokens(shown(turn))
        if chosen and room < 0:
            break
        chosen.append(turn)
    return chosen


def shown(turn: StoredEpisode) -> str:
    """Return a turn as one line, with the date by the speaker's own clock, the speaker, and the words."""
    speaker = " ".join((turn.speaker or turn.role).split())
    return f"{turn.local.date().isoformat()} {speaker}: {' '.join(turn.content[:TURN_CHARACTERS].split())}"


def _numbered(lines: Sequence[tuple[str, Sequence[Source]]], *, after: int = 0) -> list[str]:
    return [f"[{number}] {text}" for number, (text, _) in enumerate(lines, after + 1)]


def _chunk(
    asked: str,
    lines: Sequence[tuple[str, Sequence[Source]]],
    turns: Sequence[StoredEpisode],
    before: Sequence[StoredEpisode],
) -> Chunk:
    rests = [[[str(s.episode), s.key, s.position, s.start, s.end] for s in sources] for _, sources in lines]
    return request(Words.of(PROMPT, asked, SCHEMA, {"rests": rests}), turns, before, most_tokens=REPLY_TOKENS)


def _items(chunk: Chunk) -> Iterable[str]:
    """Yield the numbered lines of a request, without their numbers."""
    for line in chunk.words.messages[-1]["content"].split("\n"):
        number, _, text = line.partition("] ")
        if number[:1] == "[" and number[1:].isdecimal():
            yield text


def list_in(reply: str, name: str) -> list[Any]:
    """Return the list with this *name* in the JSON object of a *reply*. Raises `Unreadable` without such a list."""
    try:
        parsed = json.loads(reply[reply.find("{") : reply.rfind("}") + 1])
    except (ValueError, RecursionError):
        parsed = None
    found = parsed.get(name) if isinstance(parsed, dict) else None
    if not isinstance(found, list):
        raise Unreadable(f'expected one JSON object {{"{name}": [...]}}')
    return found


def _lines_of(reply: str) -> list[Any]:
    lines = list_in(reply, "lines")
    if len(lines) > SENTENCES:
        raise Unreadable(f"it has {len(lines)} sentences: at most {SENTENCES} are allowed")
    return lines


def _line(one: Any, rests: Sequence[Sequence[Sequence[Any]]]) -> Line:
    """Return a sentence of a reply with its source words, newest first."""
    text = " ".join(str(one.get("text") or "").split()) if isinstance(one, dict) else ""
    numbers = one.get("from") if isinstance(one, dict) else None
    if not text or len(text) > SENTENCE_CHARACTERS:
        raise Unreadable(f"a sentence has {len(text)} characters: 1 to {SENTENCE_CHARACTERS} are allowed")
    if not isinstance(numbers, list) or not numbers or not all(is_number(number, len(rests)) for number in numbers):
        raise Unreadable(f"a sentence must cite lines by their numbers, 1 to {len(rests)}")
    sources = {Source(uuid.UUID(str(s[0])), *s[1:]) for number in numbers for s in rests[number - 1]}
    newest, *older = sorted(sources, key=lambda source: (source.position, source.start, source.end), reverse=True)
    return Line(text, newest, tuple(older))


def is_number(number: Any, most: int) -> bool:
    """Return whether a model's value is a number from 1 to *most*."""
    return isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= most
