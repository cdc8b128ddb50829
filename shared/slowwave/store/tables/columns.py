"""Functions that make the columns of tables: by name and type, nullable or not."""

from typing import Any

from sqlalchemy import BigInteger, Column, Identity, MetaData, Table, Text, text
from sqlalchemy.dialects.postgresql import TIMESTAMP
from sqlalchemy.types import TypeEngine

if "with" not in Table("_", MetaData()).dialect_options["postgresql"]:  # SQLAlchemy 2.0 does not know it of tables
    Table.argument_for("postgresql", "with", {})

metadata = MetaData(
    naming_convention={
        "pk": "%(table_name)s_pkey",
        "uq": "%(table_name)s_%(column_0_N_name)s_key",
        "ck": "%(table_name)s_%(constraint_name)s_check",
    }
)

TIME = TIMESTAMP(timezone=True)
NOW = text("slowwave_now()")


def must(name: str, type_: TypeEngine[Any], default: str | None = None, *, comment: str | None = None) -> Column[Any]:
    """Return a column that is never null."""
    return Column(name, type_, nullable=False, server_default=text(default) if default else None, comment=comment)


def may(name: str, type_: TypeEngine[Any], comment: str | None = None) -> Column[Any]:
    """Return a column that may be null."""
    return Column(name, type_, nullable=True, comment=comment)


def number(name: str) -> Column[Any]:
    """Return a column that the database numbers automatically."""
    return Column(name, BigInteger, Identity(always=True), nullable=False)


def tenant() -> Column[Any]:
    """Return the column with the tenant of the row."""
    return must("tenant", Text())


def made(name: str, comment: str | None = None) -> Column[Any]:
    """Return a column with the time at which the row was made."""
    return Column(name, TIME, nullable=False, server_default=NOW, comment=comment)
