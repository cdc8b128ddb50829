"""The digests of all tenants, which prove that a copy of a database is equal."""

from collections.abc import Mapping

from slowwave.store.beliefs.digest import digest
from slowwave.store.database import Database


def digests(database: Database) -> Mapping[str, str]:
    """Return the belief digest of each tenant, by name."""
    with database.dispatch() as connection:
        tenants = connection.exec_driver_sql("SELECT tenant FROM tenants ORDER BY tenant").scalars().all()
    found = {}
    for tenant in tenants:
        with database.long(tenant) as connection:
            found[tenant] = digest(connection)
    return found
