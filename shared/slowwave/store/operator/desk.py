"""The desk at a glance, for an operator: what waits for models, what today cost, how the providers are."""

from sqlalchemy import Connection

from slowwave.domain.model.overview import DeskOverview, ProviderState, RejectedClaim
from slowwave.store.statements import sql


def overview(connection: Connection, tenant: str) -> DeskOverview:
    """Return the desk of *tenant* at a glance. *connection* acts as dispatch."""
    row = connection.exec_driver_sql(sql("operator/desk"), {"tenant": tenant}).mappings().one()
    providers = connection.exec_driver_sql(sql("operator/desk_providers")).mappings()
    return DeskOverview(**row, providers=[ProviderState(**one) for one in providers])


def rejected(connection: Connection, *, most: int) -> list[RejectedClaim]:
    """Return the tenant's claims of models that were dropped last, newest first."""
    rows = connection.exec_driver_sql(sql("operator/rejected"), {"most": most}).mappings()
    return [RejectedClaim(**row) for row in rows]
