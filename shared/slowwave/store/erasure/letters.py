"""Dead letters of a tenant and of the installation that name what is to be forgotten."""

from sqlalchemy import Connection

from slowwave.core.erasure.mentions import mentions
from slowwave.domain.erasure.request import Wanted

AT_ONCE = 500


def letters_naming(connection: Connection, wanted: Wanted, tenant: str, *, otherwise: str) -> list[int]:
    """Return the dead letters that name what *wanted* asks for. *otherwise* is the tenant of letters that name none.

    The connection acts as the eraser, who sees the letters of the tenant and of the installation. One scan of all.
    """
    found: list[int] = []
    after = 0
    while rows := connection.exec_driver_sql(_LETTERS, {"after": after, "most": AT_ONCE}).all():
        after = rows[-1].letter
        found += [
            row.letter
            for row in rows
            if mentions(row.said, wanted, tenant, otherwise=tenant if row.tenant == tenant else otherwise)
        ]
    return found


_LETTERS = """
SELECT letter, tenant, coalesce(item::text, '') || ' ' || reason AS said FROM dead_letters
WHERE letter > %(after)s AND (item IS NOT NULL OR reason <> 'erased') ORDER BY letter LIMIT %(most)s
"""
