"""The doctor's lines about Postgres and the broker: role, revision, eviction, and progress of the processes."""

from collections.abc import Iterator

from sqlalchemy import Connection

from slowwave import wiring
from slowwave.cli.doctor.line import Line, looking_at
from slowwave.errors import Unavailable, Unprepared
from slowwave.formatting import counted
from slowwave.memory.queries.unread import with_advice
from slowwave.store.migrate import is_ahead, revisions
from slowwave.store.queries.conversation_turns import languages_since
from slowwave.store.retention import partitions
from slowwave.store.statements import sql
from slowwave.wiring.packs import changed_versions
from slowwave.wiring.registration import packs_not_loaded

OLDEST_PGVECTOR = (0, 7)
LEAST_DAYS_AHEAD = 2
"""The number of future days that must have audit partitions. A daily job makes partitions for the next thirty days."""

START_POSTGRES = "check that Postgres runs, and that SLOWWAVE_URL has its host, port and password"
"""The remedy for an unreachable Postgres, in place of the error's hint, which names `slowwave doctor`."""

DAYS_BACK = 7
"""The past days in which to look for turns in languages that no pack or model reads."""


def database(parts: wiring.Parts) -> list[Line]:
    """Return the lines about the database. If the database cannot be queried, there are fewer lines."""
    lines: list[Line] = []
    with looking_at("postgres", lines, unavailable=START_POSTGRES), parts.database.dispatch() as connection:
        lines.extend(_server(connection))
    if any(not line.good for line in lines):
        return lines
    with looking_at("schema", lines, unavailable=START_POSTGRES):
        lines.append(schema(parts))
    if not lines[-1].good:
        return lines
    with (
        looking_at("tenant", lines, unavailable=START_POSTGRES),
        parts.database.tenant(parts.settings.tenant) as connection,
    ):
        lines.append(_role(connection, "slowwave_app"))
    with looking_at("work", lines, unavailable=START_POSTGRES), parts.database.dispatch() as connection:
        lines.extend(_work(connection, parts.settings.tick_seconds))
    with looking_at("versions", lines, unavailable=START_POSTGRES):
        parts.watched.look()  # its problems are in the group of the rule packs
        changed = changed_versions(parts.database, parts.watched.packs.values()).values()
        lines += [Line("versions", one.message, good=False, remedy=one.hint or "") for one in changed]
        lines += [Line("not loaded", one.message, good=False, remedy=one.hint or "") for one in packs_not_loaded(parts)]
    with looking_at("not read", lines, unavailable=START_POSTGRES):
        lines.append(_unread_turns(parts))
    if parts.settings.read_url is not None:
        lines.append(_replica(parts))
    return lines


def _replica(parts: wiring.Parts) -> Line:
    """Return the line about the replica for reads."""
    try:
        behind = parts.database.replica_bytes_behind()
    except (Unavailable, Unprepared) as error:
        remedy = "check the server of SLOWWAVE_READ_URL; until then, the primary serves all reads"
        return Line("replica", error.message, good=False, remedy=remedy)
    return Line("replica", f"follows the primary, {behind} bytes behind")


def _unread_turns(parts: wiring.Parts) -> Line:
    """Return the line about recent turns that were not read because of their language."""
    tenant = parts.settings.tenant
    with parts.database.tenant(tenant) as connection:
        languages = languages_since(connection, tenant, days=DAYS_BACK)
    unread = with_advice(parts, languages)
    found = (
        " ".join(filter(None, (unread.sentence, unread.remedy, "`slowwave unread --user NAME` lists a user's turns.")))
        if languages
        else "no turn in a language that no pack or model reads"
    )
    return Line("not read", f"within {DAYS_BACK} days: {found}")


def schema(parts: wiring.Parts) -> Line:
    """Return the line that compares the database's schema revision with the required revision."""
    with parts.database.dispatch() as connection:
        at, needed = revisions(connection)
    if at == needed:
        return Line("schema", f"at revision {at}, as required")
    remedy = "run a newer version of Slowwave" if is_ahead(at, needed) else "run `slowwave db migrate`"
    return Line("schema", f"at revision {at or 'none'}, but {needed} is required", good=False, remedy=remedy)


def _server(connection: Connection) -> Iterator[Line]:
    version = connection.exec_driver_sql("SELECT current_setting('server_version')").scalar_one()
    yield Line("postgres", f"answers, version {version}")
    yield _role(connection, "slowwave_dispatch")
    found = connection.exec_driver_sql("SELECT extversion FROM pg_extension WHERE extname = 'vector'").scalar()
    if found is None or tuple(int(part) for part in found.split(".")[:2]) < OLDEST_PGVECTOR:
        yield Line(
            "pgvector",
            f"version {found}" if found else "is not there",
            good=False,
            remedy="run bootstrap.sql as a superuser, with pgvector 0.7 or newer installed",
        )
    else:
        yield Line("pgvector", f"version {found}")


def _role(connection: Connection, wanted: str) -> Line:
    row = connection.exec_driver_sql(
        "SELECT current_user AS role, bool_or(rolsuper OR rolbypassrls) AS mighty FROM pg_roles "
        "WHERE rolname IN (current_user, session_user)"
    ).one()
    if row.mighty:
        remedy = "connect as the login slowwave, which may only become slowwave_app and slowwave_dispatch"
        return Line("role", f"{row.role} is used by a superuser", good=False, remedy=remedy)
    return Line("role", f"{row.role} is used, by no superuser", good=row.role == wanted)


def _work(connection: Connection, tick_seconds: float) -> Iterator[Line]:
    row = connection.exec_driver_sql(sql("operator/doctor")).one()
    yield Line(
        "partitions",
        f"made for {row.days_ahead} days ahead",
        good=row.days_ahead >= LEAST_DAYS_AHEAD,
        remedy="start the scheduler or `slowwave work`, or run `slowwave db migrate`",
    )
    rows = partitions.in_default(connection)
    yield Line(
        "default",
        ", ".join(
            f"{counted(each.rows, 'rows')} of {each.parent} arrived when their partition did not exist" for each in rows
        )
        or "no row",
        good=not rows,
        remedy="start `slowwave up` or `slowwave work`: its job `partitions` moves them; so does `slowwave db migrate`",
    )
    ticking = row.ticked is not None and row.ticked <= 3 * tick_seconds + 5
    yield Line(
        "tick",
        "never" if row.ticked is None else f"{row.ticked:.0f} s ago",
        good=ticking,
        remedy="start `slowwave up` or `slowwave work`: without a tick no schedule fires",
    )
    yield Line("work", f"{row.due} pending jobs are due, the oldest for {row.waiting:.0f} s")


def broker(url: str | None) -> list[Line]:
    """Return the lines about the broker. A missing broker is not a problem: workers poll for work."""
    if url is None:
        return [Line("broker", "not set: workers find work by polling")]
    from slowwave.broker import queue  # Celery takes a second to import

    lines: list[Line] = []
    with looking_at("broker", lines):
        queue.configure(url)
        queue.refuse_evicting_broker(url)
        lines.append(Line("broker", f"answers, evicts nothing, {counted(queue.depth(), 'messages')} waiting"))
    return lines
