"""`slowwave runs`, `deltas`, `audit` and `scope`: the decisions of runs, and the log of changes and reads."""

import uuid
from datetime import datetime
from typing import get_args

import click

from slowwave.cli.options import ScopeOptions, in_tenant, json_option, opened, scope_options, tenant_option
from slowwave.cli.options.choices import Instant, limit_option
from slowwave.cli.printing import cell, in_words, owner_text, print_json, print_json_lines, print_listing, short, utc
from slowwave.domain.audit import AuditFilter, AuditRow
from slowwave.domain.delta import Kind
from slowwave.domain.job_table import INSTALLATION
from slowwave.domain.limits import MOST_RESULTS
from slowwave.domain.overview import PastRun
from slowwave.errors import NotFound
from slowwave.formatting import counted, seconds
from slowwave.wiring import Parts


@click.command
@limit_option(20, "runs", 10_000)
@click.option("--task", metavar="ID", help="Only runs of this Celery task id, as shown by Flower.")
@click.option(
    "--scope", type=click.UUID, help="Only runs of this scope or slice; also prints its user, agent and channel."
)
@in_tenant
@json_option
def runs_command(limit: int, task: str | None, scope: uuid.UUID | None, parts: Parts, as_json: bool) -> None:
    """List the latest runs, newest first: the job, the episodes read, the outcome and the results."""
    runs = parts.records.runs(parts.settings.tenant, most=limit, task=task, scope=scope)
    print_listing(
        runs, as_json=as_json, none="no run matches that task or scope" if task or scope else "nothing has run yet",
        columns=["run", "scope", "job", "episodes", "outcome", "wrote", "began", "took"], right=["run", "took"],
        row=lambda run: [
            str(run.run), cell(_where(run)), f"{run.job} {run.pack}", f"{run.lo} to {run.hi}" if run.hi else "",
            cell(_outcome(run)), in_words({kind: count for kind, count in run.counts.items() if kind != "episodes"}),
            utc(run.started), seconds(run.duration),
        ],
    )  # fmt: skip


def _where(run: PastRun) -> str:
    if run.scope is not None:
        return owner_text(run.scope)
    return "the installation" if run.job in INSTALLATION else f"slice {run.slice}"


def _outcome(run: PastRun) -> str:
    return f"{run.outcome or 'running'}: {run.error}" if run.error else run.outcome or f"running, {run.owner}"


@click.command
@click.argument("run", type=click.IntRange(min=1), required=False)
@scope_options(user_required=False)
@click.option("--since", type=Instant(), help="Only deltas applied at this time or later, for example 2026-03-02.")
@click.option("--kind", type=click.Choice(get_args(Kind)), help="Only this kind of delta.")
@click.option("--after", type=click.UUID, metavar="ID", help="Continue after the delta with this id.")
@limit_option(100, "deltas", MOST_RESULTS)
@json_option
def deltas_command(
    run: int | None, options: ScopeOptions,
    since: datetime | None, kind: Kind | None, after: uuid.UUID | None, limit: int, as_json: bool,
) -> None:  # fmt: skip
    """List the applied deltas of all runs, or of one RUN, in the order of application.

    With --json, print one delta per line, with its sources and payload.
    """
    with opened(options.tenant) as parts:
        found = parts.records.deltas(
            parts.settings.tenant, user=options.user, agent=options.agent, channel=options.channel, run=run,
            since=since, kind=kind, after=after, most=limit,
        )  # fmt: skip
    if as_json:
        return print_json_lines(found)
    print_listing(
        found, as_json=False,
        none="no delta matches that kind, run, scope and time: `slowwave runs` shows what each run wrote",
        columns=["applied", "kind", "about", "why", "rule", "scope", "run", "fact"], right=["run"],
        row=lambda one: [
            utc(one.delta.promotion_ts), one.delta.kind, cell(one.text or "erased"), cell(one.delta.reason),
            cell(one.delta.rule_id), cell(owner_text(one.scope)),
            str(one.run or "by hand"), short(one.fact) if one.fact else "",
        ],
    )  # fmt: skip
    if found and len(found) == limit:
        click.echo(f"there may be more: --after {found[-1].id}")


@click.command
@limit_option(20, "rows", 10_000)
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
def audit_command(
    limit: int, operation: str | None, memory_type: str | None, user: str | None, session: str | None,
    channel: str | None, since: datetime | None, failed: bool, tenant: str | None, as_json: bool,
) -> None:  # fmt: skip
    """List the latest rows of the audit log, newest first. SLOWWAVE_AUDIT sets what is logged.

    With --json, each row has all columns, including the thresholds in force at the time.
    """
    wanted = AuditFilter(operation, memory_type, user, session, channel, since, failed)
    with opened(tenant) as parts:
        rows = parts.records.audit(parts.settings.tenant, wanted, most=limit)
    print_listing(
        rows, as_json=as_json, none="the audit log has no row that matches",
        columns=["at", "operation", "memory", "user", "channels", "ids", "about"],
        row=lambda row: [
            utc(row.at), row.operation, row.memory_type, cell(row.user_id or ""), cell(_channels(row)), _ids(row),
            cell(_about(row)),
        ],
    )  # fmt: skip


def _channels(row: AuditRow) -> str:
    here = row.source_channel or ""
    return f"{here} > {', '.join(row.target_channels)}" if row.target_channels else here


def _ids(row: AuditRow) -> str:
    more = len(row.affected) - 2
    return ", ".join([short(id_) for id_ in row.affected[:2]] + ([f"{more} more"] if more > 0 else []))


def _about(row: AuditRow) -> str:
    details = [f"run {row.run}"] if row.run is not None else []
    if row.result_count is not None:
        details.append(f"{row.result_count} found in {row.latency_ms or 0:.0f} ms")
    if row.promoted_from_channel is not None:
        accesses = counted(row.promotion_access_count or 0, "accesses")
        conversations = counted(row.promotion_conversation_count or 0, "conversations")
        details.append(
            f"from {row.promoted_from_channel}, confidence {row.promotion_confidence:.2f}, {accesses}, {conversations}"
        )
    details += [f"{name} {value}" for name, value in sorted(row.detail.items()) if isinstance(value, str | int | float)]
    if row.query_text is not None:
        details.append(f"asked: {row.query_text}")
    return "; ".join(details + ([f"failed: {row.error_message}"] if row.error_message else []))


@click.command
@click.argument("beginning", default="", metavar="[ID]")
@in_tenant
@json_option
def scope_command(beginning: str, parts: Parts, as_json: bool) -> None:
    """Show the user, agent and channel of the scope ID; without ID, list all scopes.

    Flower and logs show such ids. The beginning of an id is enough.
    """
    scopes = parts.records.scopes(parts.settings.tenant)
    found = [scope for scope in scopes if str(scope.id).startswith(beginning.lower())]
    if beginning and not found:
        raise NotFound(
            f"there is no scope {beginning} in tenant {parts.settings.tenant}",
            hint="`slowwave scope` lists them; the id of a slice is shown by `slowwave runs --scope ID`",
        )
    if as_json:
        return print_json([{"id": scope.id, "scope": scope} for scope in found])
    print_listing(
        found, as_json=False, none="there are no scopes: nothing was ever stored",
        columns=["id", "user", "agent", "channel"],
        row=lambda scope: [str(scope.id), cell(scope.user), cell(scope.agent), cell(scope.channel)],
    )  # fmt: skip
