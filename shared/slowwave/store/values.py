"""The values of statements as the driver tells them to Postgres: alike whatever they are, and at once."""

import uuid
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import psycopg
from psycopg import abc, adapt
from psycopg.abc import Buffer, DumperKey
from psycopg.adapt import PyFormat
from psycopg.types.array import BaseListDumper, ListDumper
from psycopg.types.datetime import DatetimeDumper
from psycopg.types.numeric import IntDumper

UNKNOWN = 0
"""The type of a value of which the statement says what it is."""


def tell_values(connection: psycopg.Connection[Any], _record: Any = None) -> None:
    """Teach a new connection how we tell the values of statements."""
    connection.adapters.register_dumper(datetime, _InUtc)
    connection.adapters.register_dumper(int, _Whole)
    connection.adapters.register_dumper(list, _Quoted)


class _InUtc(DatetimeDumper):
    """Tells a time in UTC: Postgres refuses an offset beyond 15:59, and a clock may have any."""

    def dump(self, time: datetime) -> Buffer | None:
        return super().dump(time if time.tzinfo is None else time.astimezone(UTC))


class _Whole(IntDumper):
    """Tells whole numbers as one type, however small they are, as far as four bytes hold them."""

    def upgrade(self, number: int, format: PyFormat) -> adapt.Dumper:
        return self._int4_dumper if -(2**31) <= number < 2**31 else super().upgrade(number, format)


class _Quoted(ListDumper):
    """Tells an array as the driver does, whose expressions over each value take the most of a statement's time.

    An array of values of one plain sort, NULLs among them or not, is told at once; each value of any other by its own
    dumper. Of what type it is the statement says: one whose types changed with what it is given would be planned again
    and again.
    """

    def get_key(self, items: list[Any], format: PyFormat) -> DumperKey:
        return self.cls if _plainly(items) else super().get_key(items, format)

    def upgrade(self, items: list[Any], format: PyFormat) -> BaseListDumper:
        dumper = super().upgrade(items, format)
        dumper.oid = UNKNOWN
        return dumper

    def dump(self, items: list[Any]) -> Buffer | None:
        if items and type(items[0]) is str and (texts := _texts(items, self._encoding())) is not None:
            return texts
        if (tell := _plainly(items)) is not None:
            told = ",".join([NULL if item is None else tell(item) for item in items])
            return super().dump(items) if "\0" in told else b"{" + told.encode(self._encoding()) + b"}"
        if self.sub_dumper is None or any(isinstance(item, list) for item in items):
            return super().dump(items)
        return b"{" + b",".join(_quoted(self.sub_dumper, item) for item in items) + b"}"

    def _encoding(self) -> str:
        return self.connection.info.encoding if self.connection else "utf-8"


NULL = "NULL"


def _plainly(items: list[Any]) -> Callable[[Any], str] | None:
    """Return how each value but NULL is told of an array of one plain sort; of any other array nothing."""
    kinds = set(map(type, items))
    kinds.discard(type(None))
    return _PLAINLY.get(kinds.pop()) if len(kinds) == 1 else None


def _time(time: datetime) -> str:
    return (time if time.tzinfo is UTC or time.tzinfo is None else time.astimezone(UTC)).isoformat()


_PLAINLY: Mapping[type, Callable[[Any], str]] = {
    uuid.UUID: lambda id_: f"{id_.int:032x}",
    int: str,
    float: str,
    bool: lambda yes: "t" if yes else "f",
    datetime: _time,
    str: lambda text: '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"',
    bytes: lambda raw: "\\\\x" + raw.hex(),
}


def _texts(items: list[str], encoding: str) -> bytes | None:
    """The array of some texts; nothing where one of them is none, or holds a NUL, which no text of Postgres may."""
    try:
        joined = "\0".join(items)
    except TypeError:
        return None
    if joined.count("\0") >= len(items):
        return None
    quoted = joined.replace("\\", "\\\\").replace('"', '\\"').replace("\0", '","')
    return f'{{"{quoted}"}}'.encode(encoding)


def _quoted(dumper: abc.Dumper, item: Any) -> bytes:
    told = None if item is None else dumper.dump(item)
    if told is None:
        return b"NULL"
    return b'"' + bytes(told).replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'
