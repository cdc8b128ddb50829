"""The values of statements as the driver tells them to Postgres: alike whatever they are, and at once."""

import uuid
from datetime import UTC, datetime
from typing import Any

import psycopg
from psycopg import abc, adapt
from psycopg.abc import Buffer
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

    An array of nothing but ids, whole numbers or texts is told at once; each value of any other by its own dumper. Of
    what type it is the statement says: one whose types changed with what it is given would be planned again and again.
    """

    def upgrade(self, items: list[Any], format: PyFormat) -> BaseListDumper:
        dumper = super().upgrade(items, format)
        dumper.oid = UNKNOWN
        return dumper

    def dump(self, items: list[Any]) -> Buffer | None:
        kinds = set(map(type, items))
        if kinds == {uuid.UUID}:
            return b"{" + ",".join([f"{item.int:032x}" for item in items]).encode() + b"}"
        if kinds == {int}:
            return b"{" + ",".join(map(str, items)).encode() + b"}"
        if kinds == {str} and (told := _texts(items, self._encoding())) is not None:
            return told
        if self.sub_dumper is None or list in kinds:
            return super().dump(items)
        return b"{" + b",".join(_quoted(self.sub_dumper, item) for item in items) + b"}"

    def _encoding(self) -> str:
        return self.connection.info.encoding if self.connection else "utf-8"


def _texts(items: list[str], encoding: str) -> bytes | None:
    """The array of some texts; nothing where one of them holds a NUL, which no text of Postgres may."""
    joined = "\0".join(items)
    if joined.count("\0") >= len(items):
        return None
    quoted = joined.replace("\\", "\\\\").replace('"', '\\"').replace("\0", '","')
    return f'{{"{quoted}"}}'.encode(encoding)


def _quoted(dumper: abc.Dumper, item: Any) -> bytes:
    told = None if item is None else dumper.dump(item)
    if told is None:
        return b"NULL"
    return b'"' + bytes(told).replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'
