"""A claim: a belief that a rule or a model proposes. A claim may be wrong; a delta decides about it."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from slowwave.domain.episode import StoredEpisode
from slowwave.formatting import brief

Certainty = Literal["explicit", "implied", "inferred", "uncertain"]
StatedMode = Literal["assert", "correct", "end", "forget"]
"""The acts of a speaker who states something."""
Mode = Literal[StatedMode, "withdraw"]
"""The acts of a speaker, and `withdraw`, which only a job may do."""
Effect = Literal[
    "", "end", "finish", "mend", "leave", "replace", "switch", "instead", "move", "delay", "relocate", "fulfil", "drop",
    "pass", "change",
]  # fmt: skip
"""The effect of news on a matter.

`end`: the matter is over. `finish`: the thing is used up, but a habit with the thing goes on. `mend`: a problem with
the thing is solved. `leave`: somebody left. `replace`: something replaced the thing. `switch`: somebody changed from
another thing of the kind to this thing. `instead`: somebody plans the matter in place of something else. `move`: the
date of the matter changed. `delay`: the matter was put off. `relocate`: the place of the matter changed. `fulfil`: the
plan came true. `drop`: the plan was given up. `pass`: this occasion is over, but the recurring activity goes on.
`change`: something about the matter changed.
"""
Form = Literal["typed", "statement"]
"""The form of a belief: typed (with a predicate), or a statement (a sentence in somebody's own words)."""
Tense = Literal["current", "past", "future"]
"""The time of a belief relative to the time when it was said: true at that time, before it, or after it."""

CONFIDENCE: dict[Certainty, float] = {"explicit": 0.95, "implied": 0.85, "inferred": 0.70, "uncertain": 0.50}
"""The probability that a claim is true, by its certainty in words."""

INFERRED: frozenset[Certainty] = frozenset({"inferred", "uncertain"})
"""The certainties of inferred claims, which nobody stated explicitly."""


@dataclass(frozen=True, slots=True)
class Source:
    """The words that support a claim: characters *start* to *end* (exclusive) of an episode's content.

    *scope* is set only if the episode and the claim are in different scopes, for example for a promoted fact.
    """

    episode: uuid.UUID
    key: str
    position: int
    start: int
    end: int
    scope: uuid.UUID | None = None

    @property
    def own_position(self) -> int:
        """The position in the claim's own scope; 0 if the words are in another scope."""
        return self.position if self.scope is None else 0

    def stands_in(self, lengths: Mapping[uuid.UUID, int]) -> bool:
        """Return whether the characters from *start* to *end* exist in the episode.

        *lengths* has the number of characters of each episode by id.
        """
        return 0 <= self.start < self.end <= lengths.get(self.episode, 0)

    def __repr__(self) -> str:
        return brief(self, self.key, f"characters {self.start} to {self.end}", id=self.episode)


@dataclass(frozen=True, slots=True)
class Origin:
    """A memory from which a job made a claim: the original of a promoted fact, or a memory that a summary covers."""

    relation: Literal["promoted_from", "summarises"]
    scope: uuid.UUID
    memory: uuid.UUID

    def __repr__(self) -> str:
        return brief(self, self.relation, id=self.memory)


@dataclass(frozen=True, slots=True)
class Claim:
    """A proposed belief about *subject*.

    *mode* is the act of the speaker. `assert` states the belief. `correct` says that an earlier statement was never
    true. `end` says that the belief was true until now. `forget` removes the belief, and Slowwave does not learn the
    belief again. A job may also `withdraw` a belief: Slowwave no longer holds the belief, but may learn it again.
    *valid_from* is the stated time at which the belief became true in the world, or the time of the episode. The
    *predicate* `*` with mode `correct`, `end` or `forget` means the latest belief about the subject from the last few
    episodes of the same session. An empty *object* with `end` or `forget` means every object of the predicate. *wrong*
    is the object that a correction replaces, if the speaker names this object. *ordinal* numbers the claims of one
    episode. *role* is the predicate by which the episode describes the subject, for example `brother` for "my brother
    Carl". The role distinguishes this Carl from a friend called Carl.

    A claim with an *effect* is news. The predicate of news is `*`, the mode is `end`, and the object names the matter
    in words, such as "the Spanish course". News ends the beliefs of either form that match its words and its effect.
    News with the subject `*` matches beliefs about anybody.

    Any other claim is compared only with beliefs of its own *form*. The *text* of a statement is a whole sentence,
    which identifies the statement. The predicate of a statement is its verb, which need not be registered. A repeated
    statement changes nothing. When a statement is forgotten, all statements with the same verb and words are removed.
    If *text* is empty, it is composed from subject, predicate and object.
    """

    subject: str
    predicate: str
    object: str
    mode: Mode
    certainty: Certainty
    confidence: float
    valid_from: datetime
    valid_to: datetime | None
    single_valued: bool
    rule: str
    session: str
    source: Source
    ordinal: int
    more_sources: tuple[Source, ...] = ()
    origins: tuple[Origin, ...] = ()
    form: Form = "typed"
    text: str = ""
    tense: Tense = "current"
    wrong: str = ""
    effect: Effect = ""
    role: str = ""

    @property
    def begins(self) -> datetime:
        """The start of the valid time."""
        return self.valid_from


def claimed(
    episode: StoredEpisode,
    words: str,
    predicate: str,
    object: str,
    *,
    subject: str | None = None,
    mode: StatedMode = "assert",
    certainty: Certainty = "explicit",
    rule: str = "",
    since: datetime | None = None,
    until: datetime | None = None,
    beside: StoredEpisode | None = None,
) -> Claim:
    """Return the claim with the source *words*. *episode* must contain *words* verbatim.

    The claim also cites the whole turn *beside*, such as the question that *episode* answers. Without a *subject*, the
    claim is about the speaker. Without *since*, the claim is true from the time of the episode. Raises ValueError if
    the episode does not contain the words.
    """
    start = episode.content.index(words)
    return Claim(
        subject=subject or episode.speaker or "user",
        predicate=predicate,
        object=object,
        mode=mode,
        certainty=certainty,
        confidence=CONFIDENCE[certainty],
        valid_from=since or episode.occurred,
        valid_to=until,
        single_valued=False,  # the registry of predicates decides this later
        rule=rule,
        session=episode.session,
        source=Source(episode.id, episode.key, episode.position, start, start + len(words)),
        ordinal=0,
        more_sources=(Source(beside.id, beside.key, beside.position, 0, len(beside.content)),) if beside else (),
    )
