"""Tables of packed blocks: the data of old episodes that questions need, 256 positions per row."""

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
    must("block", BigInteger(), comment="The block with the positions from 256 times this number, plus one."),
    tenant(),
    Column("edition", Uuid(), nullable=False, server_default=_NEW,
           comment="A new value at each packing, by which processes check their caches."),
    must("received", LargeBinary(), comment="Microseconds since 1970, one int64 per position, or the smallest int64."),
    must("occurred", LargeBinary(), comment="Microseconds since 1970, one int64 per position."),
    must("sessions", LargeBinary(), comment="The hash of the session, one uint64 per position."),
    must("roles", LargeBinary(), comment="The role of the speaker, one uint8 per position."),
    must("lengths", LargeBinary(), comment="The number of different words, one uint32 per position."),
    must("words", LargeBinary(), comment="The sorted hashes of the different words of the block, uint32."),
    must("starts", LargeBinary(), comment="The offset of each word in docs, and the end of the last one, uint32."),
    must("docs", LargeBinary(), comment="The positions in the block that contain each word, word by word, uint8."),
    may("first_user", Text(), "The alphabetically first speaker with the role user."),
    may("last_user", Text(), "The alphabetically last speaker with the role user."),
    PrimaryKeyConstraint("scope", "block"),
    comment="Hashed words of 256 positions of a scope, with their positions. Derived from episodes, erased with them.",
)  # fmt: skip

vector_blocks = Table(
    "vector_blocks",
    metadata,
    must("scope", Uuid()),
    must("block", BigInteger()),
    must("space", SmallInteger()),
    tenant(),
    Column("edition", Uuid(), nullable=False, server_default=_NEW, comment="A new value at each packing."),
    must(
        "codes",
        LargeBinary(),
        comment="The mean and one scale per position, both float32, then the sign bits, plane by plane.",
    ),
    PrimaryKeyConstraint("scope", "block", "space"),
    comment="The vectors of 256 positions in one space: their mean, and the signs of the differences. Derived, too.",
)


def _store_uncompressed(table: Table, connection: Connection, **_: Any) -> None:
    """Store packed bytes uncompressed: they do not compress, and trying costs the writer and the reader time."""
    for column in table.columns:
        if isinstance(column.type, LargeBinary):
            statement = f"ALTER TABLE {table.name} ALTER COLUMN {column.name} SET STORAGE EXTERNAL"
            connection.exec_driver_sql(statement)


for _table in (word_blocks, vector_blocks):
    event.listen(_table, "after_create", _store_uncompressed)
