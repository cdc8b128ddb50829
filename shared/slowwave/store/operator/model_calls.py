"""An overview of model requests for operators: pending requests, today's cost, and the state of providers."""

from sqlalchemy import Connection

from slowwave.domain.model_calls.overview import DeskOverview, ProviderState, RejectedClaim
from slowwave.store.statements import sql


def overview(connection: Connection, tenant: str) -> DeskOverview:
    """Return the overview of *tenant*'s model requests. *connection* acts as dispatch."""
    row = connection.exec_driver_sql(sql("operator/model_requests"), {"tenant": tenant}).mappings().one()
    providers = connection.exec_driver_sql(sql("operator/providers")).mappings()
    return DeskOverview(**row, providers=[ProviderState(**one) for one in providers])


def rejected(connection: Connection, *, most: int) -> list[RejectedClaim]:
    """Return the tenant's latest rejected claims of models, newest first."""
    rows = connection.exec_driver_sql(sql("operator/rejected"), {"most": most}).mappings()
    return [RejectedClaim(**row) for row in rows]
