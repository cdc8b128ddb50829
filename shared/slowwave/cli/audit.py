"""`slowwave audit`: the audit log, which records who changed or read what."""

from datetime import datetime

import click

from slowwave.cli.options import Instant, json_option, opened, tenant_option
from slowwave.cli.printing import cell, console, print_json, short, table, utc
from slowwave.domain.audit import AuditFilter, AuditRow
from slowwave.formatting import counted


@click.command
@click.option("--limit", type=click.IntRange(1, 10_000), default=20, show_default=True, help="Maximum number of rows.")
@click.option(
    "--operation", metavar="NAME", help="Only this operation: store, retrieve, update, delete, promote or noop."
)
@click.option(
    "--type", "memory_type", metavar="NAME", help="Only this type of memory: episodic, semantic, procedural, working, …"
)
@click.option("--user", metavar="NAME", help="Only rows about this user.")
@click.option("--session", metavar="NAME", help="Only rows of this session.")
@click.option("--channel", metavar="NAME", help="Only rows of this channel.")
@click.option("--since", type=Instant(), metavar="TIME", help="Only rows from this time on.")
@click.option("--failed", is_flag=True, help="Only operations that failed.")
@tenant_option
@json_option
def command(
    limit: int,
    operation: str | None,
    memory_type: str | None,
    user: str | None,
    session: str | None,
    channel: str | None,
    since: datetime | None,
    failed: bool,
    tenant: str | None,
    as_json: bool,
) -> None:
    """List the latest rows of the audit log, newest first. SLOWWAVE_AUDIT sets what is logged.

    With --json, each row has all columns, including the thresholds in force at the time.
    """
    wanted = AuditFilter(operation, memory_type, user, session, channel, since, failed)
    with opened(tenant) as parts:
        rows = parts.records.audit(parts.settings.tenant, wanted, most=limit)
    if as_json:
        return print_json(rows)
    if not rows:
        return click.echo("the audit log has no row that matches")
    made = table("at", "operation", "memory", "user", "channels", "ids", "about")
    for row in rows:
        made.add_row(
            utc(row.at), row.operation, row.memory_type, cell(row.user_id or ""), cell(_channels(row)), _ids(row),
            cell(_about(row)),
        )  # fmt: skip
    console().print(made)


def _channels(row: AuditRow) -> str:
    here = row.source_channel or ""
    return f"{here} > {', '.join(row.target_channels)}" if row.target_channels else here


def _ids(row: AuditRow) -> str:
    more = len(row.affected) - 2
    return ", ".join([short(id_) for id_ in row.affected[:2]] + ([f"{more} more"] if more > 0 else []))


def _about(row: AuditRow) -> str:
    told = [f"run {row.run}"] if row.run is not None else []
    if row.result_count is not None:
        told.append(f"{row.result_count} found in {row.latency_ms or 0:.0f} ms")
    if row.promoted_from_channel is not None:
        accesses = counted(row.promotion_access_count or 0, "accesses")
        conversations = counted(row.promotion_conversation_count or 0, "conversations")
        told.append(
            f"from {row.promoted_from_channel}, confidence {row.promotion_confidence:.2f}, {accesses}, {conversations}"
        )
    told += [f"{name} {value}" for name, value in sorted(row.detail.items()) if isinstance(value, str | int | float)]
    if row.query_text is not None:
        told.append(f"asked: {row.query_text}")
    return "; ".join(told + ([f"failed: {row.error_message}"] if row.error_message else []))
