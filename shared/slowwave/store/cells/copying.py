"""The copy of a tenant's rows from one cell to another, table by table, and their comparison.

Rows are compared in groups. A group whose rows differ is deleted in the target, and copied again. So a copy that was
interrupted, or whose source changed, is continued by the next one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from psycopg import sql

from slowwave.errors import Incorrect
from slowwave.store.cells import OF_THE_TENANT, Owner

GROUPS = 4096
"""The number of groups into which the rows of a table are divided by the hash of their keys."""
_TABLES = """
SELECT c.relname AS name,
    array_agg(a.attname ORDER BY a.attname) AS columns,
    array_agg(a.attname ORDER BY a.attname) FILTER (WHERE a.attnum = ANY(k.conkey)) AS key,
    array_agg(a.attname) FILTER (WHERE a.attname IN ('space', 'toward') AND a.atttypid = 'int2'::regtype) AS spaces,
    json_object_agg(a.attname, t.typsend::regproc::text)
        FILTER (WHERE t.typname IN ('vector', 'tsvector')) AS unhashable
FROM pg_class AS c
JOIN pg_constraint AS k ON k.conrelid = c.oid AND k.contype = 'p'
JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
JOIN pg_type AS t ON t.oid = a.atttypid
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND EXISTS (SELECT FROM pg_policy AS p WHERE p.polrelid = c.oid AND p.polname = 'moves_with_its_tenant')
GROUP BY c.relname ORDER BY c.relname
"""
Groups = Mapping[int, tuple[int, str]]


@dataclass(frozen=True, slots=True)
class _Table:
    """A table whose rows move. *spaces* are the columns with numbers of embedding spaces, which differ between cells.
    *unhashable* has the function that turns a column into bytes.
    """

    name: str
    columns: Sequence[str]
    key: Sequence[str]
    spaces: Sequence[str]
    unhashable: Mapping[str, str]

    def groups(self, connection: Owner, names: Sequence[str | None]) -> Groups:
        """Return the number of rows and the sum of their hashes, by group. *names* are the spaces by their numbers."""
        query = "SELECT {}, count(*), sum(hash_record_extended(ROW({}), 0)::numeric)::text FROM {} WHERE {} GROUP BY 1"
        asked = sql.SQL(query).format(
            self._group(names), self._comparable(self.columns, names), sql.Identifier(self.name), OF_THE_TENANT
        )
        return {row[0]: (row[1], row[2]) for row in connection.execute(asked).fetchall()}

    def among(self, groups: Sequence[int], names: Sequence[str | None]) -> sql.Composable:
        """Return the condition for the rows in *groups*."""
        return sql.SQL("{} AND {} = ANY(ARRAY[{}]::bigint[])").format(
            OF_THE_TENANT, self._group(names), _listed(groups)
        )

    def _group(self, names: Sequence[str | None]) -> sql.Composable:
        return sql.SQL("(hash_record_extended(ROW({}), 0) & {})").format(
            self._comparable(self.key, names), sql.Literal(GROUPS - 1)
        )

    def _comparable(self, columns: Sequence[str], names: Sequence[str | None]) -> sql.Composable:
        return sql.SQL(", ").join(self._value(column, names) for column in columns)

    def _value(self, column: str, names: Sequence[str | None]) -> sql.Composable:
        if column in self.spaces:
            return sql.SQL("(ARRAY[{}]::text[])[{}]").format(_listed(names), sql.Identifier(column))
        if column in self.unhashable:
            return sql.SQL("{}({})").format(
                sql.SQL(self.unhashable[column]), sql.Identifier(column)
            )  # of the catalogue
        return sql.Identifier(column)


@dataclass(frozen=True, slots=True)
class _Spaces:
    """The names of embedding spaces by the numbers of each cell, and the target's numbers by the source's numbers.

    The first element belongs to the number 1.
    """

    in_source: Sequence[str | None]
    in_target: Sequence[str | None]
    numbers: Sequence[int | None]


class Copy:
    """The copy of the rows of *tenant*. Both connections use slowwave_owner, and see these rows from now on."""

    def __init__(self, source: Owner, target: Owner, tenant: str) -> None:
        self._source, self._target = source, target
        self._seen: dict[str, Groups] = {}
        see(source, tenant)
        see(target, tenant)
        self._tables = _tables(source)
        if self._tables != _tables(target):
            raise Incorrect("the cells have different schemas", hint="run `slowwave db migrate` with one version")

    def round(self) -> int:
        """Copy the rows that differ; return their number. The target shows all of them at once."""
        spaces = self._spaces()
        with self._target.transaction():
            return sum(self._copy(table, groups, spaces) for table, groups in self._differing(spaces))

    def differing(self) -> list[str]:
        """Return the tables whose rows in the target differ from those that the last round saw in the source."""
        names = self._spaces().in_target
        return [table.name for table in self._tables if table.groups(self._target, names) != self._seen[table.name]]

    def _differing(self, spaces: _Spaces) -> Iterator[tuple[_Table, list[int]]]:
        for table in self._tables:
            there = self._seen[table.name] = table.groups(self._source, spaces.in_source)
            here = table.groups(self._target, spaces.in_target)
            if groups := sorted(group for group in there.keys() | here.keys() if there.get(group) != here.get(group)):
                yield table, groups

    def _copy(self, table: _Table, groups: Sequence[int], spaces: _Spaces) -> int:
        name, beside = sql.Identifier(table.name), sql.Identifier(f"moving_{table.name}")
        columns = sql.SQL(", ").join(map(sql.Identifier, table.columns))
        numbered = sql.SQL("(ARRAY[{}]::smallint[])[{}]")
        values = [
            numbered.format(_listed(spaces.numbers), sql.Identifier(one))
            if one in table.spaces
            else sql.Identifier(one)
            for one in table.columns
        ]
        rows = sql.SQL("COPY (SELECT {} FROM {} WHERE {}) TO STDOUT (FORMAT BINARY)").format(
            sql.SQL(", ").join(values), name, table.among(groups, spaces.in_source)
        )
        old = sql.SQL("DELETE FROM {} WHERE {}").format(name, table.among(groups, spaces.in_target))
        create = sql.SQL("CREATE TEMPORARY TABLE {} ON COMMIT DROP AS SELECT {} FROM {} WITH NO DATA")
        insert = sql.SQL("INSERT INTO {} ({}) OVERRIDING SYSTEM VALUE SELECT {} FROM {}")
        with self._source.cursor() as reading, self._target.cursor() as writing:
            writing.execute(old)
            writing.execute(create.format(beside, columns, name))
            into = sql.SQL("COPY {} FROM STDIN (FORMAT BINARY)").format(beside)
            with reading.copy(rows) as coming, writing.copy(into) as going:
                for part in coming:
                    going.write(part)
            return writing.execute(insert.format(name, columns, columns, beside)).rowcount

    def _spaces(self) -> _Spaces:
        """Return the embedding spaces of both cells, after the target got those of the source."""
        there = _spaces_of(self._source)
        for name, dimensions in there:
            self._target.execute("SELECT slowwave_make_space(%s, %s)", [name, dimensions])
        here = _spaces_of(self._target)
        return _Spaces(
            _by_number({number: repr(space) for space, number in there.items()}),
            _by_number({number: repr(space) for space, number in here.items()}),
            _by_number({number: here[space] for space, number in there.items()}),
        )


def delete_rows(connection: Owner) -> None:
    """Delete the rows of the tenant that *connection* is to `see`, one table after the other."""
    for table in _tables(connection):
        connection.execute(sql.SQL("DELETE FROM {} WHERE {}").format(sql.Identifier(table.name), OF_THE_TENANT))


def see(connection: Owner, tenant: str) -> None:
    """Let *connection* see the rows of *tenant*."""
    connection.execute("SELECT set_config('slowwave.moving', %s, false)", [tenant])


def _tables(connection: Owner) -> list[_Table]:
    rows: list[Any] = connection.execute(_TABLES).fetchall()
    return [_Table(row.name, row.columns, row.key, row.spaces or [], row.unhashable or {}) for row in rows]


def _spaces_of(connection: Owner) -> dict[tuple[str, int], int]:
    rows: list[Any] = connection.execute("SELECT name, dimensions, space FROM embedding_spaces").fetchall()
    return {(row.name, row.dimensions): row.space for row in rows}


def _by_number(values: Mapping[int, Any]) -> list[Any]:
    return [values.get(number) for number in range(1, max(values, default=0) + 1)]


def _listed(values: Sequence[Any]) -> sql.Composable:
    return sql.SQL(", ").join(map(sql.Literal, values))
