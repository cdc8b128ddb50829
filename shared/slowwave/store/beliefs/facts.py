"""Facts as they are read: what a scope believes, as of any time and as known at any time."""

import uuid
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from slowwave.core.timeline import BEGINNING
from slowwave.domain.claim import Form, Source
from slowwave.domain.fact import Fact
from slowwave.domain.scope import Scope
from slowwave.store.statements import sql


def facts(
    connection: Connection,
    scopes: Sequence[uuid.UUID],
    *,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
    everything: bool = False,
    form: Form | None = None,
    named: Collection[uuid.UUID] | None = None,
    after: uuid.UUID | None = None,
    most: int | None = None,
) -> list[Fact]:
    """Return what is believed in *scopes*, by subject, predicate and object, in either *form* or in one.

    *as_of* is when it was so in the world, *known_at* when we believed it; None is now. *everything* also returns
    what was so at other times; *named* asks for the facts with these ids. With *most* it is a page, behind the
    fact *after* where one is given; behind one that is not believed so there is none.
    """
    rows = connection.exec_driver_sql(
        sql("beliefs/as_of"),
        {
            "scopes": list(scopes),
            "as_of": as_of,
            "known_at": known_at,
            "everything": everything,
            "form": form,
            "facts": None if named is None else list(named),
            "after": after,
            "most": most,
        },
    )
    return [_fact(row) for row in rows.mappings()]


def _fact(row: Any) -> Fact:
    sources = tuple(source(*each) for each in row["sources"] or ())
    fields = {**row}
    scope = Scope(*(fields.pop(part) for part in ("tenant", "user_id", "agent", "channel")))
    id_, valid_from = fields.pop("fact"), fields.pop("valid_from") or BEGINNING
    return Fact(id=id_, valid_from=valid_from, scope=scope, **{**fields, "sources": sources})


def source(episode: str, key: str, position: int, start: int, end: int, scope: str | None) -> Source:
    """Return a source as JSON has it."""
    return Source(uuid.UUID(episode), key, position, start, end, uuid.UUID(scope) if scope else None)
