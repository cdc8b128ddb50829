"""A judge of beliefs by a language model. It shows recent statements beside older beliefs, and parses the verdicts.

The judge makes no calls. A verdict must cite words that were said.
"""

import hashlib
import json
import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from slowwave.core.beliefs.identity import text_of
from slowwave.core.beliefs.versions import Version
from slowwave.core.contradiction.model_judgements import ModelJudgement, Nearness, QuotedTurn
from slowwave.core.contradiction.words import words_of
from slowwave.core.summaries.model_summary import is_number, list_in
from slowwave.core.tokens import request, tokens
from slowwave.domain.claim import Source
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.model_calls import NUMBER, TEXT, Chunk, Rejected, Words, list_schema, object_schema
from slowwave.rules.model_packs.transcript import label, located, pasted_spans, shown

LEAST_TOKENS = 100
"""The least token limit for turns and beliefs. A request of this size, with the prompt, costs a seventh of reading a
short day's talk.
"""
TOKENS_A_TURN = 10
"""The additional tokens per turn of a longer day. They cost a seventh of reading the turn."""
MOST_TOKENS = 800
LONGEST_TURN = 240
"""The maximum number of characters of a turn that are shown. A longer turn is cut to the words around learned facts."""
LONGEST_BELIEF = 160
REPLY_TOKENS = 400
"""The maximum number of tokens of a reply: a dozen verdicts with their quotations."""
MOST_VERDICTS = 40
PROMPT = """SAID is new, BELIEVED older. Which beliefs does SAID make untrue or take the reason from (ended), deny \
(denied), or only repeat (same)? JSON: {"verdicts": [{"b": belief, "n": number in SAID, "q": "words copied from it", \
"v": "ended", "sure": true}]}. None: []. Sure if it follows."""
KINDS: Mapping[str, Any] = {"ended": "ended", "denied": "contradicted", "same": "same"}
SCHEMA = object_schema(
    verdicts=list_schema(object_schema(b=NUMBER, n=NUMBER, q=TEXT, v={"enum": list(KINDS)}, sure={"type": "boolean"}))
)
READING = 1
"""The version of the reply parser. The prompt's version includes this version."""


@dataclass(frozen=True, slots=True)
class Judge:
    """Makes requests about beliefs that may have ended, and parses the replies.

    *model* is the name of a model with its settings.
    """

    model: str

    @property
    def edition(self) -> str:
        """The model, and a digest of everything that affects a reply. With another edition, a request counts as new."""
        inputs = json.dumps([PROMPT, SCHEMA, READING], sort_keys=True)
        return f"{self.model} reconsider-{hashlib.sha256(inputs.encode()).hexdigest()[:10]}"

    def ask(
        self,
        turns: Sequence[QuotedTurn],
        beliefs: Sequence[Version],
        near: Nearness,
        before: Mapping[uuid.UUID, Sequence[StoredEpisode]],
    ) -> Chunk:
        """Return a request about the pairs of a turn and a belief that are nearest by *near*, as many as fit.

        *before* has the episodes that support each belief, by the id of its fact.
        """
        here, there = _fitting(turns, beliefs, near)
        rests = {one.position: one for version in there for one in before.get(version.fact, ())}
        return _chunk(here, there, [one for at, one in rests.items() if at not in {turn.position for turn in here}])

    def read(self, chunk: Chunk, reply: str) -> tuple[list[ModelJudgement], list[Rejected]]:
        """Return the judgements in *reply* that cite words that were said, and the rejected judgements.

        Raises `Unreadable` for an invalid reply.
        """
        judged, refused = list[ModelJudgement](), list[Rejected]()
        first = min(chunk.positions, default=0)
        for verdict in list_in(reply, "verdicts")[:MOST_VERDICTS]:
            outcome = _judgement(verdict, chunk)
            if isinstance(outcome, ModelJudgement):
                judged.append(outcome)
            else:
                refused.append(Rejected(first, outcome, _short(verdict)))
        return judged, refused

    def smallest(self) -> Chunk:
        """Return a minimal request that any working model can answer: an invented statement and a belief."""
        text = "SAID\n1 user: I sold the car\nBELIEVED\n1 The user has a car"
        return request(Words.of(PROMPT, text, SCHEMA, {"said": [], "beliefs": []}), (), (), most_tokens=REPLY_TOKENS)


def _fitting(
    turns: Sequence[QuotedTurn], beliefs: Sequence[Version], near: Nearness
) -> tuple[list[QuotedTurn], list[Version]]:
    """Return the turns and the beliefs of the nearest pairs that fit into a request, both in the order of speech."""
    room = min(MOST_TOKENS, max(LEAST_TOKENS, TOKENS_A_TURN * len(turns)))
    words, by_fact = {one.position: one for one in turns}, {version.fact: version for version in beliefs}
    here, there = dict[int, QuotedTurn](), dict[Any, Version]()
    for position, fact in sorted(near, key=lambda pair: (-near[pair], pair)):
        cost = 0 if position in here else tokens(_line(words[position])) + 3
        cost += 0 if fact in there else tokens(_belief(by_fact[fact])) + 3
        if cost <= room:
            room -= cost
            here[position], there[fact] = words[position], by_fact[fact]
    return [here[at] for at in sorted(here)], sorted(there.values(), key=lambda one: (one.position, one.fact))


def _chunk(turns: Sequence[QuotedTurn], beliefs: Sequence[Version], before: Sequence[StoredEpisode]) -> Chunk:
    lines = ["SAID", *_numbered(map(_line, turns)), "BELIEVED", *_numbered(map(_belief, beliefs))]
    noted = {
        "said": [[one.position, one.start, one.end, [str(news.fact) for news in one.news]] for one in turns],
        "ended": {str(one.position): [str(version.fact) for version in one.ended] for one in turns if one.ended},
        "beliefs": [str(version.fact) for version in beliefs],
    }
    words = Words.of(PROMPT, "\n".join(lines), SCHEMA, noted)
    return request(words, [one.episode for one in turns], before, most_tokens=REPLY_TOKENS)


def _numbered(lines: Iterator[str]) -> Iterator[str]:
    return (f"{number} {line}" for number, line in enumerate(lines, 1))


def _line(turn: QuotedTurn) -> str:
    content, who = turn.episode.content, label(turn.episode)
    begin = 0 if len(content) <= LONGEST_TURN else turn.start
    return f"{who}: {_clean(turn.episode, content[begin : begin + LONGEST_TURN])}"


def _belief(version: Version) -> str:
    return " ".join(text_of(version).split())[:LONGEST_BELIEF]


def _clean(episode: StoredEpisode, part: str) -> str:
    return shown(episode.model_copy(update={"content": part}))


def _judgement(verdict: Any, chunk: Chunk) -> ModelJudgement | str:
    """Return a parsed verdict, or the reason why it is rejected."""
    if not isinstance(verdict, dict) or verdict.get("v") not in KINDS or not isinstance(verdict.get("q"), str):
        return "it does not match the schema of a verdict"
    quoted, beliefs = chunk.words.noted.get("said", []), chunk.words.noted.get("beliefs", [])
    if not is_number(verdict.get("b"), len(beliefs)):
        return "it names a fact that was not shown"
    if not is_number(verdict.get("n"), len(quoted)):
        return "it cites a turn that was not shown"
    position = quoted[verdict["n"] - 1][0]
    episode = next((one for one in chunk.episodes if one.position == position), None)
    where = located(verdict["q"], episode.content) if episode else None
    if episode is None or where is None or _plain(episode.content[slice(*where)]) != _plain(verdict["q"]):
        return "the words were not said"
    if not words_of(episode.content[slice(*where)]):
        return "the quoted words have no content"
    if any(begin < where[1] and where[0] < end for begin, end in pasted_spans(episode.content)):
        return "the words were pasted, not said"
    source = Source(episode.id, episode.key, episode.position, *where)
    return ModelJudgement(
        KINDS[verdict["v"]], uuid.UUID(beliefs[verdict["b"] - 1]), position, source, verdict.get("sure") is True
    )


def _plain(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _short(verdict: Any) -> dict[str, Any]:
    """Return a verdict with each of its parts cut to a maximum length."""
    parts = list(verdict.items())[:8] if isinstance(verdict, dict) else [("verdict", verdict)]
    return {str(name)[:20]: str(value)[:300] for name, value in parts}
