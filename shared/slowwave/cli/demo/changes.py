"""The changes in a user's life: the old belief and its end, the new belief, and the words behind both."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from slowwave.domain.delta import AppliedDelta, DeleteDelta, UpdateDelta
from slowwave.domain.explanation import Evidence, Explanation
from slowwave.domain.fact import Fact
from slowwave.memory import MemoryScope

OF_TOOLS = "last_outcome"
"""The predicate of tool results, left out: every tool call changes it."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A belief that ended, and the words it was based on."""

    text: str
    said: Evidence


@dataclass(frozen=True, slots=True)
class Change:
    """Beliefs that *ended* because of the *words* of one turn, and the new beliefs from the same words (*believed*).

    The old beliefs were true *until* then. The *reason* is empty if the new beliefs replaced them.
    """

    ended: Sequence[Ended]
    until: datetime
    reason: str
    words: Evidence
    believed: Sequence[str]


@dataclass(frozen=True, slots=True)
class _End:
    """The end of one belief: the time *until* which it was true, the words that ended it, and the reason."""

    of: Explanation
    until: datetime
    reason: str
    words: Evidence


def changes(scope: MemoryScope) -> list[Change]:
    """Return the changes of belief in *scope* that people's words caused, in the order they were said.

    Denied beliefs and requests to forget are not changes.
    """
    turns: dict[str, list[_End]] = {}
    for one in scope.deltas(limit=1_000):
        if one.said is not None and one.said[1] != OF_TOOLS:
            for end in _ends(scope, one):
                turns.setdefault(end.words.key, []).append(end)
    return [_change(scope, ends) for ends in turns.values()]


def _ends(scope: MemoryScope, applied: AppliedDelta) -> Iterator[_End]:
    delta = applied.delta
    if not isinstance(delta, UpdateDelta | DeleteDelta) or delta.valid_from is None:
        return
    reason = delta.reason if isinstance(delta, DeleteDelta) else ""
    for old in map(scope.why, delta.replaces):
        words = next((step.evidence[0] for step in old.steps if step.delta == applied.id and step.evidence), None)
        if old.held and words is not None:
            yield _End(old, delta.valid_from, reason, words)


def _change(scope: MemoryScope, ends: Sequence[_End]) -> Change:
    until = max(end.until for end in ends)
    ended = {end.of.fact: Ended(end.of.text, end.of.steps[0].evidence[0]) for end in ends}
    return Change(
        ended=tuple(ended.values()),
        until=until,
        reason=next((end.reason for end in ends if end.reason), ""),
        words=max((end.words for end in ends), key=lambda words: len(words.words)),
        believed=[fact.text for fact in scope.facts(as_of=until) if _rests_on(fact, [end.words for end in ends])],
    )


def _rests_on(fact: Fact, words: Sequence[Evidence]) -> bool:
    return any(
        source.episode == one.episode and source.start < one.start + len(one.words) and one.start < source.end
        for source in fact.sources
        for one in words
    )
