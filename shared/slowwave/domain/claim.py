"""A claim: the proposal of a rule or a model. It may be wrong; a delta decides about it."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from slowwave.domain.episode import StoredEpisode
from slowwave.formatting.summary_lines import brief

Certainty = Literal["explicit", "implied", "inferred", "uncertain"]
Said = Literal["assert", "correct", "end", "forget"]
"""The act of a speaker in a statement."""
Mode = Literal[Said, "withdraw"]
"""The same acts, and the one that only a job may do."""
Effect = Literal[
    "", "end", "finish", "mend", "leave", "replace", "switch", "instead", "move", "delay", "relocate", "fulfil", "drop",
    "pass", "change",
]  # fmt: skip
"""The effect of news on a matter: it ended, the thing is gone (`finish`: no habit of eating it is over), it works or
is well again (`mend`: what was wrong with it is over), somebody left,
something replaced it, somebody went over to it from another of its kind (`switch`) or plans it in place of something
else (`instead`), its date moved (`delay`: to a later one), its place did (`relocate`), it was fulfilled, the plan was
dropped; it is over this time (`pass`), which ends nothing that recurs; or `change`: something about it changed."""
Form = Literal["typed", "statement"]
"""The form of a belief: a registered predicate, or a sentence in somebody's own words."""
Tense = Literal["current", "past", "future"]
"""The time of a belief relative to when it was said: true then, true before, or true later."""

CONFIDENCE: dict[Certainty, float] = {"explicit": 0.95, "implied": 0.85, "inferred": 0.70, "uncertain": 0.50}
"""The probability that a claim is true, by its certainty in words."""

INFERRED: frozenset[Certainty] = frozenset({"inferred", "uncertain"})
"""The certainties of claims that nobody stated explicitly."""


@dataclass(frozen=True, slots=True)
class Source:
    """The words that a claim rests on: characters *start* to *end* (exclusive) of an episode's content.

    *scope* is set if the episode is in another scope than the claim: a promoted fact cites another channel.
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
        """Return whether these words lie within one of the episodes; *lengths* gives their characters, by id."""
        return 0 <= self.start < self.end <= lengths.get(self.episode, 0)

    def __repr__(self) -> str:
        return brief(self, self.key, f"characters {self.start} to {self.end}", id=self.episode)


@dataclass(frozen=True, slots=True)
class Origin:
    """A memory that a claim was made from: the original of a promoted copy, or one that a summary covers."""

    relation: Literal["promoted_from", "summarises"]
    scope: uuid.UUID
    memory: uuid.UUID

    def __repr__(self) -> str:
        return brief(self, self.relation, id=self.memory)


@dataclass(frozen=True, slots=True)
class Claim:
    """A proposed belief about *subject*.

    *mode* says what the speaker does: `assert` it, `correct` an earlier statement (it was never true), `end` it (it was
    true until now), or `forget` it (remove it, and do not learn it again). A job may `withdraw` a belief: it is no
    longer held, which says nothing about the world, and it may be learned again. *valid_from* is when it became true in
    the world: the stated time, else when the episode occurred. *predicate* `*` with mode `correct`, `end` or `forget`
    means the belief about the subject that was asserted last in the same session, a few episodes back. An empty
    *object* with `end` or `forget` means every object of the predicate; *wrong* is the object that a correction takes
    back, if it names one. *ordinal* numbers the claims of one episode. *role* is the predicate by which the episode
    says who the subject is, `brother` for "my brother Carl": another Carl may be a friend.

    A claim with an *effect* is news: predicate `*`, mode `end`, and an object that names the matter in words, such as
    "the Spanish course". It ends the beliefs, of either form, that match its words and its effect; subject `*` means
    whoever the matter belongs to.

    Any other claim sees only the beliefs of its own *form*. A *statement* is identified by its *text*, a whole
    sentence; its predicate is open: the verb. Repeating it changes nothing; forgetting it also removes everything that
    the same verb says with the same words. If *text* is empty, it is composed from subject, predicate and object.
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
        """The start of its valid time."""
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
    """Return the claim that rests on *words* of *episode*, which must contain them verbatim.

    The turn *beside* it, such as the question it answers, is cited as a whole too. Without a *subject* the claim is
    about the speaker; without *since* it holds from when the episode occurred. Raises ValueError if the words are not
    found.
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
