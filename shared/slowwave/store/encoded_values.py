"""Encoders of statement values for Postgres.

They are faster than the driver's encoders, and leave types to the statement.
"""

import json
import uuid
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import psycopg
from psycopg import abc, adapt
from psycopg.abc import Buffer, DumperKey
from psycopg.adapt import PyFormat
from psycopg.types.array import BaseListDumper, ListBinaryDumper, ListDumper
from psycopg.types.datetime import DatetimeDumper
from psycopg.types.json import set_json_loads
from psycopg.types.numeric import IntDumper

UNKNOWN = 0
"""The type id of a value whose type the statement declares."""
NULL = "NULL"


def tell_values(connection: psycopg.Connection[Any], _record: Any = None) -> None:
    """Register the encoders of statement values, and the decoder of JSON, on a new connection."""
    connection.adapters.register_dumper(datetime, _InUtc)
    connection.adapters.register_dumper(int, _Whole)
    connection.adapters.register_dumper(list, _Vectors)
    connection.adapters.register_dumper(list, _Quoted)
    set_json_loads(lambda raw: {} if raw == b"{}" else json.loads(raw), connection)  # most metadata is empty


class _InUtc(DatetimeDumper):
    """Encodes a time in UTC, because Postgres refuses UTC offsets beyond 15:59."""

    def dump(self, time: datetime) -> Buffer | None:
        return super().dump(time if time.tzinfo is None else time.astimezone(UTC))


class _Whole(IntDumper):
    """Encodes all whole numbers of up to four bytes as one type."""

    def upgrade(self, number: int, format: PyFormat) -> adapt.Dumper:
        return self._int4_dumper if -(2**31) <= number < 2**31 else super().upgrade(number, format)


class _Quoted(ListDumper):
    """Encodes an array as the driver does, but faster, because the driver's encoder takes most of a statement's time.

    An array of one plain type, with or without NULLs, is encoded in one step. In other arrays, each value is encoded by
    a dumper of its own type. The statement declares the type of the array. If the type changed with the values,
    Postgres would plan the statement again and again.
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
            text = ",".join([NULL if item is None else tell(item) for item in items])
            return super().dump(items) if "\0" in text else b"{" + text.encode(self._encoding()) + b"}"
        if self.sub_dumper is None or any(isinstance(item, list) for item in items):
            return super().dump(items)
        return b"{" + b",".join(_quoted(self.sub_dumper, item) for item in items) + b"}"

    def _encoding(self) -> str:
        return self.connection.info.encoding if self.connection else "utf-8"


class _Vectors(ListBinaryDumper):
    """Encodes an array of vectors of equal length in one piece, and any other array like the driver."""

    def _dump_list(self, items: list[Any], dim: int, dims: list[int], data: list[Buffer]) -> int:
        if (shape := getattr(items[0], "shape", None)) is None or len(shape) != 1:
            return super()._dump_list(items, dim, dims, data)
        if any(getattr(item, "shape", None) != shape for item in items):
            return super()._dump_list(items, dim, dims, data)
        import numpy as np  # loaded already, as these are its arrays

        (length,) = shape
        rows = np.zeros(len(items), [("bytes", ">i4"), ("length", ">u2"), ("unused", ">u2"), ("values", ">f4", shape)])
        rows["bytes"], rows["length"], rows["values"] = 4 + 4 * length, length, items
        data.append(rows.tobytes())
        return 0


def _plainly(items: list[Any]) -> Callable[[Any], str] | None:
    """Return the encoder of values for an array of one plain type; None for any other array."""
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
    """Return the encoded array of texts; None if an item is not a text, or has a NUL, which Postgres refuses."""
    try:
        joined = "\0".join(items)
    except TypeError:
        return None
    if joined.count("\0") >= len(items):
        return None
    quoted = joined.replace("\\", "\\\\").replace('"', '\\"').replace("\0", '","')
    return f'{{"{quoted}"}}'.encode(encoding)


def _quoted(dumper: abc.Dumper, item: Any) -> bytes:
    encoded = None if item is None else dumper.dump(item)
    if encoded is None:
        return b"NULL"
    return b'"' + bytes(encoded).replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'
