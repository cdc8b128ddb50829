"""The jobs that go through what is due, run here and now by who cannot wait for the night."""

from collections import Counter
from typing import TYPE_CHECKING

from slowwave.domain.run import pack_of
from slowwave.store.tiers.decay import PostgresFading

if TYPE_CHECKING:
    from slowwave.wiring.parts import Parts


def run_standing(parts: "Parts", job: str, *, by: str) -> Counter[str]:
    """Fire *job* for every tenant, do in this process what is due of it, and return its counts, added up."""
    parts.schedule.fire_job(job, pack_of(job), by=by)
    counts: Counter[str] = Counter()
    while (report := parts.work(owner=by, only=[job])) is not None:
        counts.update(report.counts)
    return counts


def refresh_strengths(parts: "Parts", tenant: str | None) -> Counter[str]:
    """Compute every strength of *tenant*, or of all, and when it is due; write what differs and return how many did.

    What a changed policy says of memories that are not due holds from then on.
    """
    with parts.database.dispatch() as connection:
        tenants = connection.exec_driver_sql("SELECT tenant FROM tenants ORDER BY tenant").scalars().all()
    counts: Counter[str] = Counter()
    for each in tenants if tenant is None else [tenant]:
        looked, refreshed = PostgresFading(parts.database).refresh_all(each)
        counts.update(looked=looked, refreshed=refreshed)
    return counts
