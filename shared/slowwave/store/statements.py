"""The SQL statements. Each statement is a `.sql` file beside the code. A wheel has all statements in one file."""

import gzip
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, CursorResult

STORE = Path(__file__).parent
_PACKED = STORE / "statements.json.gz"

IN_PARTS = {"stream_results": True, "yield_per": 2_000}
"""The options by which the rows of a large result come in parts. Otherwise memory would hold all rows twice,
and the transaction would be idle for too long.
"""


@cache
def sql(name: str) -> str:
    """Return the text of `<name>.sql`, such as `recall/candidates`. The text has parameters like `%(name)s`."""
    return _packed()[name] if _PACKED.is_file() else (STORE / f"{name}.sql").read_text(encoding="utf-8")


def execute(connection: Connection, name: str, /, **parameters: Any) -> CursorResult[*tuple[Any, ...]]:
    """Run the statement `<name>.sql` with *parameters*; return its result."""
    return connection.exec_driver_sql(sql(name), parameters or None)


def exists(connection: Connection, rows: str, **parameters: Any) -> bool:
    """Return whether there are *rows*, a part of a statement that begins with `FROM`."""
    return bool(connection.exec_driver_sql(f"SELECT EXISTS (SELECT {rows})", parameters or None).scalar_one())


@cache
def _packed() -> Mapping[str, str]:
    texts: Mapping[str, str] = json.loads(gzip.decompress(_PACKED.read_bytes()))
    return texts
