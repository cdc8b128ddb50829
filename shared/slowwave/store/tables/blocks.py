"""Tables of packed blocks: what a question needs of old episodes, by 256 positions."""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    LargeBinary,
    PrimaryKeyConstraint,
    SmallInteger,
    Table,
    Text,
    Uuid,
    event,
    text,
)

from slowwave.store.tables.columns import may, metadata, must, tenant

_NEW = text("gen_random_uuid()")

word_blocks = Table(
    "word_blocks",
    metadata,
    must("scope", Uuid()),
    must("block", BigInteger(), comment="Of the positions from 256 times this, plus one."),
    tenant(),
    Column("edition", Uuid(), nullable=False, server_default=_NEW,
           comment="Another one whenever it is packed anew: by it processes know what they keep."),
    must("received", LargeBinary(), comment="Microseconds since 1970 a position, int64; the least number: nothing "
         "there."),
    must("occurred", LargeBinary(), comment="Microseconds since 1970 a position, int64."),
    must("sessions", LargeBinary(), comment="The hash of its session a position, uint64."),
    must("roles", LargeBinary(), comment="Which role spoke, a position, uint8."),
    must("lengths", LargeBinary(), comment="How many different words a position has, uint32."),
    must("words", LargeBinary(), comment="The hashes of the different words of the block, uint32, in order."),
    must("starts", LargeBinary(), comment="Where in docs each word begins, and after the last its end, uint32."),
    must("docs", LargeBinary(), comment="Which positions of the block have the word, word after word, uint8."),
    may("first_user", Text(), "Of those who spoke in the role of the user, the first by name."),
    may("last_user", Text(), "Of those who spoke in the role of the user, the last by name."),
    PrimaryKeyConstraint("scope", "block"),
    comment="The words of 256 positions of a scope, hashed, and where each stands. Derived from episodes; gone where "
    "they are.",
)  # fmt: skip

vector_blocks = Table(
    "vector_blocks",
    metadata,
    must("scope", Uuid()),
    must("block", BigInteger()),
    must("space", SmallInteger()),
    tenant(),
    Column("edition", Uuid(), nullable=False, server_default=_NEW, comment="Another one whenever it is packed anew."),
    must("codes", LargeBinary(), comment="The mean, a scale a position, both float32, and the signs, plane by plane."),
    PrimaryKeyConstraint("scope", "block", "space"),
    comment="The vectors of 256 positions in one space: their mean, and of each the signs of how it differs. Derived, "
    "too.",
)


def _keep_as_they_are(table: Table, connection: Connection, **_: Any) -> None:
    """Store packed bytes uncompressed: they do not compress, and trying costs the writer and the reader time."""
    for column in table.columns:
        if isinstance(column.type, LargeBinary):
            statement = f"ALTER TABLE {table.name} ALTER COLUMN {column.name} SET STORAGE EXTERNAL"
            connection.exec_driver_sql(statement)


for _table in (word_blocks, vector_blocks):
    event.listen(_table, "after_create", _keep_as_they_are)
