"""Orders of telling: turns in the order in which they were said, not in the order of arrival."""

import uuid

from sqlalchemy import Connection

from slowwave.core.contradiction.references import Telling, telling
from slowwave.store.statements import sql


def orders(connection: Connection, scope: uuid.UUID, pack: str, upto: int = 0) -> tuple[Telling, Telling]:
    """Return the order of the turns that a pack has read, and the order of these and all turns up to *upto*."""
    asked = {"scope": scope, "pack": pack, "upto": upto}
    read, positions = connection.exec_driver_sql(sql("inbox/telling"), asked).one()
    return telling([one for one in positions or () if one <= read]), telling(positions or ())
