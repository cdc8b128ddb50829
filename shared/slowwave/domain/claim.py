"""A claim: what a rule or a model proposes. It may be wrong; a delta decides about it."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from slowwave.brief import brief
from slowwave.domain.episode import StoredEpisode

Certainty = Literal["explicit", "implied", "inferred", "uncertain"]
Said = Literal["assert", "correct", "end", "forget"]
"""What somebody does who says a thing."""
Mode = Literal[Said, "withdraw"]
"""And what a job may do on top."""
Effect = Literal["", "end", "leave", "replace", "move", "fulfil", "change"]
"""What news says of a matter: it ended, somebody left, something else holds, it has another date, it came about; or
only that something in its words has changed."""
Form = Literal["typed", "statement"]
"""How a belief is put: a registered predicate, or somebody's own words."""
Tense = Literal["current", "past", "future"]
"""Whether it was so when it was said, had been before, or was to be."""

CONFIDENCE: dict[Certainty, float] = {"explicit": 0.95, "implied": 0.85, "inferred": 0.70, "uncertain": 0.50}
"""Certainty in words to P(true)."""

INFERRED: frozenset[Certainty] = frozenset({"inferred", "uncertain"})
"""What nobody has said in so many words."""


@dataclass(frozen=True, slots=True)
class Source:
    """The words a claim rests on: characters *start* to *end* of an episode's content, end exclusive.

    *scope* is the episode's, where that is another than the claim's own: a promoted fact rests on what was said in
    another channel.
    """

    episode: uuid.UUID
    key: str
    position: int
    start: int
    end: int
    scope: uuid.UUID | None = None

    @property
    def own_position(self) -> int:
        """The position in the claim's own scope; 0 where the words stand elsewhere."""
        return self.position if self.scope is None else 0

    def stands_in(self, lengths: Mapping[uuid.UUID, int]) -> bool:
        """Return whether these words stand in one of the episodes of which *lengths* has the characters, by id."""
        return 0 <= self.start < self.end <= lengths.get(self.episode, 0)

    def __repr__(self) -> str:
        return brief(self, self.key, f"characters {self.start} to {self.end}", id=self.episode)


@dataclass(frozen=True, slots=True)
class Origin:
    """A memory a claim was made from: what a promotion copies, or one of those a summary stands for."""

    relation: Literal["promoted_from", "summarises"]
    scope: uuid.UUID
    memory: uuid.UUID

    def __repr__(self) -> str:
        return brief(self, self.relation, id=self.memory)


@dataclass(frozen=True, slots=True)
class Claim:
    """A proposed belief about *subject*.

    *mode* says what the speaker does: `assert` it, `correct` what was said before (it never was so), `end` it (it
    was so until now), `forget` it (hold it no longer, and do not learn it again). A job may `withdraw` a belief: it is
    held no longer, which says nothing about the world, and may be learned again. *valid_from* is when it became so
    in the world: stated, else when the episode occurred. *predicate* `*` with mode `correct`, `end` or `forget` means
    the belief about the subject that was asserted last in the same session, a few episodes back. An empty *object*
    with `end` or `forget` means every object of the predicate; *wrong* is the object that a correction takes back,
    where it says which. *ordinal* numbers the claims of one episode.

    With an *effect* a claim is news: predicate `*`, mode `end`, and an object that names the matter by its words, such
    as "the Spanish course". It ends the beliefs, of either form, that its words and its effect fit; subject `*` means
    whoever the matter belongs to.

    Any other claim of one *form* sees the beliefs of that form alone. A *statement* is known by its *text*, a whole
    sentence, and its predicate is open: the verb. Said again it changes nothing; forgetting it takes along all that the
    same verb says with the same words. An empty *text* is written out of subject, predicate and object.
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

    @property
    def begins(self) -> datetime:
        """The beginning of its valid time."""
        return self.valid_from


def claimed(
    episode: StoredEpisode,
    words: str,
    predicate: str,
    object: str,
    *,
    subject: str | None = None,
    mode: Said = "assert",
    certainty: Certainty = "explicit",
    rule: str = "",
    since: datetime | None = None,
    until: datetime | None = None,
    beside: StoredEpisode | None = None,
) -> Claim:
    """Return the claim that rests on *words* of *episode*, which must stand in it as they are given.

    The turn *beside* it, as the question it answers, is cited too, as a whole. Without a *subject* it is about whoever
    speaks, without *since* it holds from when the episode occurred. Raises ValueError where the words are not there.
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
        single_valued=False,  # the registry of predicates says so
        rule=rule,
        session=episode.session,
        source=Source(episode.id, episode.key, episode.position, start, start + len(words)),
        ordinal=0,
        more_sources=(Source(beside.id, beside.key, beside.position, 0, len(beside.content)),) if beside else (),
    )
