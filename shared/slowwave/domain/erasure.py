"""Erasure: requests for an erasure, and receipts of erasures."""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect
from slowwave.formatting import brief, many
from slowwave.former_names import warn_of_former

Kind = Literal["user", "session", "fact", "matching", "scope"]
SHORTEST = 3
"""The fewest characters of *matching*, because too many words contain a shorter text."""
Words = Annotated[str, Field(min_length=SHORTEST, max_length=1_000)]
Token = Annotated[str, Field(min_length=1, max_length=64)]
"""The token of a preview. With the token, a caller confirms the erasure that the preview shows."""
HINT = "name a user, a session, a fact or words that match; a session or words may be those of one user"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A request to erase a whole *user* or *scope*, or only a *session*, a *fact* or the matches of a text.

    If nothing is named, the request covers what a whole tenant has outside of its scopes: messages and dead letters.
    """

    user: str | None = None
    session: str | None = None
    fact: uuid.UUID | None = None
    matching: str | None = None
    scope: Scope | None = None

    @property
    def kind(self) -> Kind:
        """The kind of the target. If several targets are given, it is the kind of the most precise one."""
        if self.fact is not None:
            return "fact"
        if self.session is not None:
            return "session"
        if self.matching is not None:
            return "matching"
        return "scope" if self.user is None else "user"

    @property
    def words(self) -> list[str]:
        """All given names, in a fixed order, as the input of a keyed digest."""
        where = "" if self.scope is None else self.scope.key
        return [self.kind, self.user or "", self.session or "", str(self.fact or ""), self.matching or "", where]


def wanted(
    *, user: str | None, session: str | None, fact: uuid.UUID | None, matching: str | None, scope: Scope | None = None
) -> Wanted:
    """Return the request that a caller's arguments make. Raises `Incorrect` with every problem.

    >>> wanted(user="alice", session=None, fact=None, matching=None).kind
    'user'
    """
    named = [name for name, one in (("session", session), ("fact", fact), ("matching", matching)) if one is not None]
    problems = []
    if not named and user is None and scope is None:
        problems.append("nothing is named")
    if len(named) > 1:
        problems.append(f"{' and '.join(named)}: give only one of them")
    if fact is not None and user is not None:
        problems.append("user: cannot be combined with a fact")
    if matching is not None and len(matching.strip()) < SHORTEST:
        problems.append(f"matching: has fewer than {SHORTEST} characters, so most words would match")
    if problems:
        raise Incorrect.listing("the request to forget", problems, hint=HINT)
    return Wanted(user, session, fact, None if matching is None else matching.strip(), scope)


@dataclass(frozen=True, slots=True)
class Erasure:
    """The receipt of an erasure, without content, or a *preview* of an erasure.

    *counts* has the number of rows by table. A preview has the first *episodes* and *facts* in words, and a *token* to
    confirm exactly this erasure. *under_legal_hold* says whether a legal hold forbids the erasure. In a receipt,
    *erased* is the time when no row had the content any more. *rewritten* is the time when dead rows, index entries,
    statistics and the write-ahead log had been rewritten too. Before that time, *todo* lists the open steps. *calls*
    are the ids of the model calls that sent erased words to a provider. *beyond* lists copies that no erasure reaches.
    *signature* is made with the tenant's key (see `Memory.verify_erasure`).
    """

    kind: Kind
    scopes: int
    counts: Mapping[str, int]
    preview: bool = False
    under_legal_hold: bool = False
    episodes: Sequence[str] = ()
    facts: Sequence[str] = ()
    token: str | None = None
    id: uuid.UUID | None = None
    asked: datetime | None = None
    erased: datetime | None = None
    rewritten: datetime | None = None
    calls: Sequence[int] = ()
    todo: Sequence[str] = ()
    beyond: Sequence[str] = ()
    signature: str = field(default="", repr=False)

    @property
    def held(self) -> bool:
        """The former name of `under_legal_hold`."""
        warn_of_former("held", "under_legal_hold")
        return self.under_legal_hold

    @property
    def signed(self) -> bytes:
        """The bytes that the signature covers, from the target of the erasure, the counts and the times."""
        signed_fields = [
            self.kind, self.scopes, dict(sorted(self.counts.items())), str(self.id), _at(self.asked), _at(self.erased),
            _at(self.rewritten), list(self.calls),
        ]  # fmt: skip
        return json.dumps(signed_fields, separators=(",", ":"), sort_keys=True).encode()

    def __repr__(self) -> str:
        would = "would be " if self.preview else ""
        rows = sum(self.counts.values())
        done = None if self.rewritten is None else "rewritten"
        return brief(
            self, self.kind, f"{many(rows, 'row')} {would}erased in {many(self.scopes, 'scope')}", done, id=self.id
        )


def _at(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat()


def from_json(receipt: Mapping[str, Any]) -> Erasure:
    """Return the receipt in a JSON object, for example from a file. Raises `Incorrect` for any other value."""
    names = Erasure.__dataclass_fields__.keys()
    try:
        fields = {name: receipt[name] for name in receipt if name in names}
        for name in ("asked", "erased", "rewritten"):
            fields[name] = datetime.fromisoformat(fields[name]) if fields.get(name) else None
        return Erasure(**{**fields, "id": uuid.UUID(str(receipt["id"]))})
    except (KeyError, TypeError, ValueError) as error:
        problems = ["receipt: is not a receipt of an erasure"]
        hint = "give the whole JSON object that `slowwave forget --json` printed"
        raise Incorrect.listing("verify_erasure", problems, hint=hint) from error
