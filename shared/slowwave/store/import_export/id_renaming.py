"""Renaming of memories that move to another tenant: new ids are derived from the old ones, the same every time."""

import uuid
from collections.abc import Mapping
from functools import cache
from typing import Any

from slowwave.core.graph.edges import entity_id
from slowwave.domain.scope import Scope
from slowwave.store.import_export.row_types import POSTGRES
from slowwave.store.tables import metadata


class Renaming:
    """Maps the ids of one tenant to ids of another tenant. Within one tenant, ids stay the same."""

    def __init__(self, tenant: str | None, scopes: Mapping[uuid.UUID, Scope]) -> None:
        self._tenant = tenant
        self._scopes = {str(id_): str(scope.id) for id_, scope in scopes.items()}
        self._here: uuid.UUID | None = None
        self._episodes: dict[str, str] = {}

    @property
    def elsewhere(self) -> bool:
        """True if the tenant differs, so that ids are derived again."""
        return self._tenant is not None

    def enter(self, scope: Scope) -> None:
        """Start with the ids of *scope*; forget the episode ids of the scope before."""
        self._here = scope.id
        self._episodes = {}

    def row(self, table: str, row: dict[str, Any]) -> dict[str, Any]:
        """Return *row* with its ids mapped."""
        if self._tenant is None:
            return row
        if table == "episodes":
            assert self._here is not None
            return row | {"id": str(uuid.uuid5(self._here, row["key"]))}
        if table == "deltas":
            row = row | {"sources": [self._source(source) for source in row["sources"]]}
        told = _ids(table)
        return {name: self._value(value) if name in told else value for name, value in row.items()}

    def key(self, row: Mapping[str, Any], name: str) -> dict[str, Any]:
        """Return the *row* of an episode's key *name*, and remember the episode's new id."""
        if self._tenant is None:
            return dict(row)
        assert self._here is not None
        self._episodes[row["id"]] = str(uuid.uuid5(self._here, name))
        return {**row, "id": self._episodes[row["id"]]}

    def entity(self, row: Mapping[str, Any]) -> None:
        """Remember the new id of an entity, which depends on its name."""
        assert self._here is not None
        self._episodes[row["entity"]] = str(entity_id(self._here, row["name"]))

    def of_episode(self, scope: Scope, key: str | None) -> uuid.UUID | None:
        """Return the id of the episode in *scope* whose caller gave it *key*."""
        return None if key is None else uuid.uuid5(scope.id, key)

    def id(self, id_: str | None) -> str | None:
        """Return the mapped id."""
        return id_ if id_ is None or self._tenant is None else self._renamed(str(id_))

    def _source(self, source: dict[str, Any]) -> dict[str, Any]:
        scope = self._here if source["origin"] is None else uuid.UUID(str(self._value(source["origin"])))
        assert scope is not None
        self._episodes.setdefault(source["episode"], str(uuid.uuid5(scope, source["key"])))
        return source

    def _value(self, value: Any) -> Any:
        match value:
            case str() if len(value) == 36 and value.count("-") == 4:
                return self._renamed(value)
            case list():
                return [self._value(one) for one in value]
            case dict():
                return {name: self._value(one) for name, one in value.items()}
            case _:
                return value

    def _renamed(self, value: str) -> str:
        if known := self._scopes.get(value) or self._episodes.get(value):
            return known
        try:
            return str(uuid.uuid5(_OTHERS, f"{self._tenant}/{uuid.UUID(value)}"))
        except ValueError:  # a text that only looks like an id
            return value


@cache
def _ids(table: str) -> frozenset[str]:
    """Return the columns of a table that hold ids, including JSON columns that name memories."""
    columns = metadata.tables[table].columns
    named = {column.name for column in columns if "UUID" in column.type.compile(POSTGRES)}
    return frozenset(named | {"item", "sources", "origins"})


_OTHERS = uuid.UUID("6f0c5b1e-2f5c-5d0a-8b7b-9b1c4b7d2a11")
