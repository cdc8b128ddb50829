"""The terms of promotion: what a change of them means for what was decided before."""

import hashlib
from dataclasses import asdict

from slowwave.core.policy import Policies
from slowwave.domain.episode import canonical_json
from slowwave.domain.run import PROMOTE, pack_of
from slowwave.store.database import Database
from slowwave.store.promotion.promotions import terms_changed


def digest_of(policies: Policies) -> bytes:
    """Return a hash over everybody's thresholds and those of single tenants."""
    terms = {tenant: asdict(policy.promotion) for tenant, policy in policies.tenants.items()}
    return hashlib.sha256(canonical_json([asdict(policies.everybody.promotion), terms])).digest()


def reconsider(database: Database, policies: Policies) -> None:
    """Let promotion look again at what it decided, if it was by other thresholds that *policies* were registered last.

    To be called before they are registered: whoever is stopped in between does it again. Safe to repeat.
    """
    with database.dispatch() as connection:
        known = connection.exec_driver_sql(
            "SELECT digest FROM packs WHERE pack = %(pack)s", {"pack": pack_of(PROMOTE)}
        ).scalar_one_or_none()
        if known is None or bytes(known) == digest_of(policies):
            return
        tenants = connection.exec_driver_sql("SELECT tenant FROM tenants ORDER BY tenant").scalars().all()
    for tenant in tenants:
        with database.tenant(tenant) as connection:
            terms_changed(connection, policies.of(tenant).promotion)
