"""The digests of all tenants, by which a copy of a database is known to be the same."""

from collections.abc import Mapping

from slowwave.store.beliefs.digest import digest
from slowwave.store.database import Database


def digests(database: Database) -> Mapping[str, str]:
    """Return the digest of what each tenant believes, by its name."""
    with database.dispatch() as connection:
        tenants = connection.exec_driver_sql("SELECT tenant FROM tenants ORDER BY tenant").scalars().all()
    found = {}
    for tenant in tenants:
        with database.long(tenant) as connection:
            found[tenant] = digest(connection)
    return found
