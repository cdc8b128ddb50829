"""A tenant cannot read or write another's rows, append-only rows stay, and no process has more rights than it needs."""

import contextlib
import uuid
from collections.abc import Iterator

import psycopg
import pytest
from psycopg import sql
from psycopg.errors import InsufficientPrivilege, InvalidParameterValue, ProgramLimitExceeded

from slowwave.embedded_services.postgres import PostgresServer
from slowwave.errors import Unprepared
from slowwave.store.database import Database
from slowwave.store.encryption import tenant_keys
from tests.databases import copied
from tests.integration.store.rows import insert, row, tables
from tests.unit.tables import table as rows_of

ROWS = rows_of(__file__)

APPEND_ONLY = ("deltas", "delta_payloads", "delta_sources", "episodes", "episode_keys", "audit_log", "firings")
SEEN_BY_DISPATCH = {
    "scope_heads", "scope_leases", "watermarks", "runs", "packs", "schedules", "intents", "firings", "processes",
    "slices", "revisions", "model_windows", "model_chunks", "model_requests", "model_calls", "model_slots",
    "model_breakers", "model_budgets", "model_batches", "predicates", "api_keys", "api_buckets", "webhooks",
    "registrations", "canaries", "id_keys",
}  # fmt: skip
SEEN_WHEN_DUE = {
    "tenants", "standing", "promotions", "conversations", "entities", "legal_holds", "segments", "episode_keys",
    "deltas", "quotas", "tenant_seals",
}  # fmt: skip
"""Tables in which dispatch sees the tenant and the due time of a row, by grants on single columns."""
OF_THE_INSTALLATION = {
    "canaries",
    "id_keys",
    "packs",
    "predicates",
    "registrations",
    "schedules",
    "embedding_spaces",
    "processes",
    "revisions",
    "tenant_keys",
}
OF_THE_OWNER = {
    "slowwave_rows_in_default_partitions", "slowwave_drop_forgotten_month", "slowwave_drop_old_audit_partition",
    "slowwave_drop_old_bookkeeping", "slowwave_drop_old_dead_letters", "slowwave_drop_old_model_calls",
    "slowwave_drop_old_runs", "slowwave_drop_old_sightings", "slowwave_make_partition", "slowwave_missing_partitions",
}  # fmt: skip
"""The functions that act as the owner for dispatch; the owner is bound by row-level security too."""
DROPPED_WITH_MODEL_CALLS = (
    "model_batches", "model_budgets", "model_calls", "model_chunks", "model_payloads", "model_rejected",
    "model_replies", "model_requests",
)  # fmt: skip
OF_THE_OWNER_FOR_APP = {"slowwave_encrypted", "slowwave_make_space"}
DERIVED = {"episode_vectors", "fact_vectors", "entity_vectors", "vector_blocks"}
REMOVABLE = {
    "intents",
    "model_summaries",
    "sightings",
    "standing",
    "strategies",
    "tenant_keys",
    "tree_nodes",
    "unread_turns",
    *DERIVED,
}
MAY_LOCK = {"slowwave_app": REMOVABLE,
            "slowwave_dispatch": {"intents", "predicates", "registrations", "schedules"}}  # fmt: skip
"""Tables that a role may lock exclusively, because it has the right to delete from them."""
BORN_TOGETHER = {"scope_heads", "scope_leases", "watermarks"}
"""Tables whose rows are inserted with a scope, in one statement."""
LABELLED = {"audit_log", "legal_holds"}
"""Tables in which the scope is a label and not part of a key."""
MINE, THEIRS = "mine", "theirs"


@pytest.fixture(scope="module")
def database(postgres_server: PostgresServer, template: str) -> Iterator[str]:
    """A database in which two tenants have a row in every table."""
    with copied(postgres_server, template, "security") as name:
        with psycopg.connect(postgres_server.url("postgres", name)) as connection:
            for tenant in (MINE, THEIRS):
                delta = uuid.uuid4()
                cited = {
                    "deltas": {"id": delta},
                    "delta_sources": {"delta": delta},
                }  # one that cites nothing is refused
                for table in tables(connection):
                    insert(connection, table, row(connection, table, tenant, **cited.get(table, {})))
            connection.execute("DELETE FROM revisions WHERE tenant = '_system'")
        yield name


@pytest.fixture
def _undeterred(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a process without keys use the database, although it has rows of data keys."""
    monkeypatch.setattr(tenant_keys, "_refuse_encrypted", lambda _connection: None)


@contextlib.contextmanager
def connected(
    server: PostgresServer, database: str, login: str, role: str | None = None
) -> Iterator[psycopg.Connection]:
    """Give a connection of *login* that acts as *role*; what it leaves uncommitted is rolled back."""
    with psycopg.connect(server.url(login, database)) as connection:
        if role:
            connection.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(role)))
        connection.commit()
        yield connection
        connection.rollback()


@pytest.fixture
def admin(postgres_server: PostgresServer, database: str) -> Iterator[psycopg.Connection]:
    """A superuser's connection."""
    with connected(postgres_server, database, "postgres") as connection:
        yield connection


@pytest.fixture
def nobody(postgres_server: PostgresServer, database: str) -> Iterator[psycopg.Connection]:
    """A connection of the app without a tenant."""
    with connected(postgres_server, database, "slowwave", "slowwave_app") as connection:
        yield connection


@pytest.fixture
def app(nobody: psycopg.Connection) -> psycopg.Connection:
    """A connection of the app in a transaction of one tenant."""
    work_for(nobody, MINE)
    return nobody


@pytest.fixture
def dispatch(postgres_server: PostgresServer, database: str) -> Iterator[psycopg.Connection]:
    """A connection of the role that sees every tenant, and no content."""
    with connected(postgres_server, database, "slowwave", "slowwave_dispatch") as connection:
        yield connection


def work_for(connection: psycopg.Connection, tenant: str) -> None:
    """Set the tenant of this transaction."""
    connection.execute("SELECT set_config('slowwave.tenant', %s, true)", (tenant,))


def granted(admin: psycopg.Connection, role: str, right: str) -> set[str]:
    """Return the tables, or partitions, on which *role* holds *right*, be it on a single column."""
    check = "has_table_privilege" if right in ("DELETE", "TRUNCATE", "TRIGGER") else "has_any_column_privilege"
    found = admin.execute(
        sql.SQL(
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace "
            "AND relkind IN ('r', 'p', 'v', 'm') AND {}(%s, oid, %s)"
        ).format(sql.SQL(check)),
        (role, right),
    )
    return {name for (name,) in found}


def tenants_in(connection: psycopg.Connection, table: str) -> set[str]:
    """Return the owners of the visible rows of *table*."""
    found = connection.execute(sql.SQL("SELECT DISTINCT tenant FROM {}").format(sql.Identifier(table)))
    return {tenant for (tenant,) in found}


# row-level security is everywhere


def unprotected(admin: psycopg.Connection) -> set[str]:
    """Return the tables and partitions that lack a part of the tenants' separation."""
    found = admin.execute(
        "SELECT relname FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') "
        "AND relname <> 'alembic_version' AND NOT (relrowsecurity AND relforcerowsecurity "
        "AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = 'tenant' AND attnotnull) "
        "AND relispartition = NOT EXISTS "
        "(SELECT FROM pg_policy WHERE polrelid = c.oid AND polpermissive AND 'slowwave_app'::regrole = ANY(polroles)))"
    )
    return {name for (name,) in found}


def test_each_table_has_a_tenant_and_forced_row_level_security(admin: psycopg.Connection) -> None:
    partitions = admin.execute("SELECT count(*) FROM pg_class WHERE relispartition AND relkind = 'r'").fetchone()

    assert unprotected(admin) == set()
    assert len(tables(admin)) >= 24
    assert partitions is not None
    assert partitions[0] >= 34


@pytest.mark.parametrize(("planted", "table"), ROWS["unprotected"])
def test_an_unprotected_table_is_found(admin: psycopg.Connection, planted: str, table: str) -> None:
    admin.execute(planted)

    assert unprotected(admin) == {table}


def test_a_partition_that_is_new_has_row_level_security_too(admin: psycopg.Connection) -> None:
    admin.execute("SELECT slowwave_make_partition('episodes', '2999-01-01')")

    assert unprotected(admin) == set()


def test_each_policy_names_its_role(admin: psycopg.Connection) -> None:
    roles = admin.execute("SELECT DISTINCT unnest(polroles)::regrole::text FROM pg_policy").fetchall()

    assert {role for (role,) in roles} == {"slowwave_app", "slowwave_dispatch", "slowwave_eraser", "slowwave_owner"}


def test_the_owner_has_only_the_policies_of_maintenance(admin: psycopg.Connection) -> None:
    policies = admin.execute(
        "SELECT polrelid::regclass::text, polcmd::text FROM pg_policy "
        "WHERE 'slowwave_owner'::regrole = ANY(polroles) ORDER BY 1, 2"
    ).fetchall()

    assert policies == [
        ("audit_log_default", "d"), ("audit_log_default", "r"),
        ("dead_letters", "d"), ("dead_letters", "r"),
            ("deltas", "r"),
        ("embedding_spaces", "a"), ("embedding_spaces", "r"),
        ("episodes_default", "d"), ("episodes_default", "r"),
        ("firings", "d"), ("firings", "r"),
        *((table, command) for table in DROPPED_WITH_MODEL_CALLS for command in "dr"),
        ("model_summaries", "r"),
        ("model_windows", "d"), ("model_windows", "r"),
        ("processes", "d"), ("processes", "r"),
        ("quotas", "d"), ("quotas", "r"),
            ("reconsiderations", "r"),
        ("revisions", "a"),
        ("runs", "d"), ("runs", "r"),
        ("sightings", "d"), ("sightings", "r"),
        ("tallies", "d"), ("tallies", "r"),
        ("tenant_keys", "r"),
        ("tier_moves", "d"), ("tier_moves", "r"),
    ]  # fmt: skip


def test_no_view_or_function_bypasses_row_level_security(admin: psycopg.Connection) -> None:
    views = admin.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('v', 'm') "
        "AND NOT coalesce('security_invoker=true' = ANY(reloptions), false)"
    ).fetchall()
    functions = admin.execute(
        "SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosecdef"
    ).fetchall()

    assert views == []
    assert {name for (name,) in functions} == OF_THE_OWNER | OF_THE_OWNER_FOR_APP


def test_each_security_definer_function_serves_one_role_and_fixes_its_search_path(admin: psycopg.Connection) -> None:
    found = admin.execute(
        """
        SELECT proname,
            array_agg(r.rolname::text ORDER BY r.rolname)
                FILTER (WHERE has_function_privilege(r.oid, p.oid, 'EXECUTE')),
            bool_or('search_path=pg_catalog, public, pg_temp' = ANY(proconfig))
        FROM pg_proc p CROSS JOIN pg_roles r
        WHERE proname = ANY(%s) AND r.rolname LIKE 'slowwave%%'
        GROUP BY proname
        """,
        [sorted(OF_THE_OWNER | OF_THE_OWNER_FOR_APP)],
    ).fetchall()

    assert {name for name, _, _ in found} == OF_THE_OWNER | OF_THE_OWNER_FOR_APP
    for name, roles, fixed in found:
        role = "slowwave_app" if name in OF_THE_OWNER_FOR_APP else "slowwave_dispatch"
        assert (roles, fixed) == ([role, "slowwave_owner"], True)


# a transaction without a tenant


def test_reading_without_a_tenant_is_an_error(nobody: psycopg.Connection) -> None:
    for table in sorted(tables(nobody)):
        with pytest.raises(InsufficientPrivilege, match="no tenant is set for this transaction"), nobody.transaction():
            tenants_in(nobody, table)


def test_writing_without_a_tenant_is_an_error(nobody: psycopg.Connection, admin: psycopg.Connection) -> None:
    for table in sorted(granted(admin, "slowwave_app", "INSERT")):
        with pytest.raises(InsufficientPrivilege, match="no tenant is set for this transaction"), nobody.transaction():
            insert(nobody, table, row(admin, table, MINE))


def test_the_tenant_is_reset_after_each_transaction(nobody: psycopg.Connection) -> None:
    work_for(nobody, MINE)
    assert tenants_in(nobody, "episodes") == {MINE}
    nobody.commit()

    with pytest.raises(InsufficientPrivilege, match="no tenant is set for this transaction"):
        tenants_in(nobody, "episodes")


@pytest.mark.usefixtures("_undeterred")
def test_a_pooled_connection_starts_each_transaction_without_a_tenant(
    postgres_server: PostgresServer, database: str
) -> None:
    store = Database(postgres_server.url(database=database), pool_size=1)
    with store.tenant(MINE) as connection:
        process = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()
        assert connection.exec_driver_sql("SELECT tenant FROM facts").scalars().all() == [MINE]
    with store.tenant(THEIRS) as connection:
        assert connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one() == process
        assert connection.exec_driver_sql("SELECT tenant FROM facts").scalars().all() == [THEIRS]
    with pytest.raises(Unprepared, match="no tenant is set"), store.tenant("") as connection:
        connection.exec_driver_sql("SELECT tenant FROM facts")
    store.close()


# one tenant and another


def test_a_tenant_sees_only_its_own_rows(app: psycopg.Connection) -> None:
    assert {table: tenants_in(app, table) for table in tables(app)} == {table: {MINE} for table in tables(app)}


def test_a_tenant_cannot_write_a_row_for_another(app: psycopg.Connection, admin: psycopg.Connection) -> None:
    for table in sorted(granted(admin, "slowwave_app", "INSERT")):
        with pytest.raises(InsufficientPrivilege, match="violates row-level security policy"), app.transaction():
            insert(app, table, row(admin, table, THEIRS))


def in_scopes(admin: psycopg.Connection) -> set[tuple[str, str]]:
    """Return the tables with a scope into which the app inserts, each with its column for the scope."""
    found = admin.execute(
        "SELECT table_name, column_name FROM information_schema.column_privileges WHERE grantee = 'slowwave_app' "
        "AND privilege_type = 'INSERT' AND table_schema = 'public' "
        "AND column_name IN ('scope', 'target', 'source_scope') AND (table_name, column_name) NOT IN "
        "(('intents', 'target'), ('edges', 'target'))"
    ).fetchall()
    return {(table, column) for table, column in found if table not in BORN_TOGETHER | LABELLED}


def test_a_row_must_belong_to_a_scope_of_its_tenant(app: psycopg.Connection, admin: psycopg.Connection) -> None:
    heads: dict[str, uuid.UUID] = dict(admin.execute("SELECT tenant, scope FROM scope_heads").fetchall())
    sources = {"target": heads[MINE], "source_scope": heads[MINE]}
    places = {table: {"pack": "a pack"} if table == "dead_letters" else {} for table in tables(admin)}
    for table, column in sorted(in_scopes(admin)):
        mine = places[table] | (sources if table == "promotions" else {})
        for scope in (heads[THEIRS], uuid.uuid4()):
            with pytest.raises(InsufficientPrivilege, match=f'"of_own_{column}"'), app.transaction():
                insert(app, table, row(admin, table, MINE, **mine | {column: scope}))
        with app.transaction(force_rollback=True):
            insert(app, table, row(admin, table, MINE, **mine | {column: heads[MINE]}))

    assert len(in_scopes(admin)) >= 26


def test_a_slice_is_one_of_its_own_tenant(app: psycopg.Connection) -> None:
    made = (
        "INSERT INTO slices (slice_id, tenant, job, slice) VALUES (slowwave_slice_id(%s, 'decay', 3), %s, 'decay', 3)"
    )
    app.execute(made, (MINE, MINE))
    with pytest.raises(InsufficientPrivilege, match='"of_own_slice"'):
        app.execute(made, (THEIRS, MINE))


def test_a_tenant_cannot_change_the_rows_of_another(app: psycopg.Connection, admin: psycopg.Connection) -> None:
    updatable = admin.execute(
        "SELECT table_name, min(column_name) FROM information_schema.column_privileges "
        "WHERE grantee = 'slowwave_app' AND privilege_type = 'UPDATE' AND table_schema = 'public' GROUP BY table_name"
    ).fetchall()

    assert {table for table, _ in updatable} == granted(admin, "slowwave_app", "UPDATE")
    for table, column in updatable:
        query = sql.SQL("UPDATE {0} SET {1} = {1}").format(sql.Identifier(table), sql.Identifier(column))
        theirs = sql.SQL("{} WHERE tenant = %s").format(query)
        with app.transaction(force_rollback=True):
            assert app.execute(theirs, (THEIRS,)).rowcount == 0, table
            assert app.execute(query).rowcount == 1, table


def test_a_tenant_cannot_remove_the_rows_of_another(app: psycopg.Connection, admin: psycopg.Connection) -> None:
    removable = granted(admin, "slowwave_app", "DELETE")

    assert removable == REMOVABLE
    for table in sorted(removable):
        assert app.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(table))).rowcount == 1
        assert tenants_in(admin, table) == {MINE, THEIRS}  # each test is a transaction of its own, which is rolled back


def test_no_role_can_update_the_tenant_or_scope_of_a_row(admin: psycopg.Connection) -> None:
    movable = admin.execute(
        "SELECT grantee, table_name, column_name FROM information_schema.column_privileges "
        "WHERE grantee IN ('slowwave_app', 'slowwave_dispatch') AND privilege_type = 'UPDATE' "
        "AND column_name IN ('tenant', 'scope') AND table_schema = 'public'"
    ).fetchall()

    assert movable == []


def test_each_tenant_reads_the_rows_of_the_installation(
    postgres_server: PostgresServer, database: str, admin: psycopg.Connection
) -> None:
    with psycopg.connect(postgres_server.url("postgres", database)) as writer:
        for table in tables(writer):
            insert(writer, table, row(writer, table, "_system"))
        writer.execute("SET LOCAL ROLE slowwave_app")
        work_for(writer, MINE)

        seen = {table for table in tables(writer) if tenants_in(writer, table) == {MINE, "_system"}}
        writer.rollback()

    assert seen == OF_THE_INSTALLATION


def test_a_partition_cannot_be_accessed_directly(app: psycopg.Connection, admin: psycopg.Connection) -> None:
    partitions = {
        name for (name,) in admin.execute("SELECT relname FROM pg_class WHERE relispartition AND relkind = 'r'")
    }

    for role in ("slowwave", "slowwave_app", "slowwave_dispatch"):
        for right in ("SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE"):
            assert granted(admin, role, right) & partitions == set()
    with pytest.raises(InsufficientPrivilege, match="permission denied for table episodes_default"):
        app.execute("SELECT * FROM episodes_default")


def test_the_owner_of_the_schema_sees_no_rows_except_data_keys(postgres_server: PostgresServer, database: str) -> None:
    with connected(postgres_server, database, "slowwave_owner") as owner:
        seen = {table: tenants_in(owner, table) for table in tables(owner)}

    assert seen.pop("tenant_keys") == {MINE, THEIRS}, "the owner answers whether there are data keys"
    assert seen == {table: set() for table in seen}


# append-only rows


@pytest.mark.parametrize("table", APPEND_ONLY)
def test_append_only_tables_cannot_be_changed(
    app: psycopg.Connection, dispatch: psycopg.Connection, admin: psycopg.Connection, table: str
) -> None:
    for role in ("slowwave", "slowwave_app", "slowwave_dispatch"):
        assert {right for right in ("UPDATE", "DELETE", "TRUNCATE") if table in granted(admin, role, right)} == set()
    for connection in (app, dispatch):
        for statement in ("UPDATE {} SET tenant = tenant", "DELETE FROM {}", "TRUNCATE {}"):
            with pytest.raises(InsufficientPrivilege, match="permission denied"), connection.transaction():
                connection.execute(sql.SQL(statement).format(sql.Identifier(table)))


def test_the_app_can_update_only_the_recorded_time_of_a_fact(admin: psycopg.Connection) -> None:
    columns = admin.execute(
        "SELECT table_name, column_name FROM information_schema.column_privileges WHERE grantee = 'slowwave_app' "
        "AND privilege_type = 'UPDATE' AND table_name IN ('facts', 'scope_heads', 'dead_letters') ORDER BY 1, 2"
    ).fetchall()

    assert columns == [
        *(("dead_letters", column) for column in ("seen", "state")),
        ("facts", "recorded"),
        *(("scope_heads", column) for column in ("channel", "erased", "head", "touched", "user_id")),
    ]


# rights of the roles


def test_dispatch_sees_every_tenants_schedule_and_no_content(
    dispatch: psycopg.Connection, admin: psycopg.Connection
) -> None:
    seen = SEEN_BY_DISPATCH | SEEN_WHEN_DUE
    assert granted(admin, "slowwave_dispatch", "SELECT") == seen | {"alembic_version", "schema_version"}
    assert granted(admin, "slowwave_dispatch", "INSERT") <= SEEN_BY_DISPATCH
    for table in tables(admin):
        if table in seen:
            assert tenants_in(dispatch, table) == {MINE, THEIRS}
        else:
            with pytest.raises(InsufficientPrivilege, match="permission denied"), dispatch.transaction():
                tenants_in(dispatch, table)


def test_no_login_has_elevated_rights(admin: psycopg.Connection) -> None:
    found = admin.execute(
        "SELECT rolname, rolcanlogin, rolinherit, "
        "rolsuper OR rolbypassrls OR rolcreatedb OR rolcreaterole OR rolreplication "
        "FROM pg_roles WHERE rolname LIKE 'slowwave%' ORDER BY rolname"
    ).fetchall()

    assert found == [
        ("slowwave", True, False, False),
        ("slowwave_app", False, True, False),
        ("slowwave_dispatch", False, True, False),
        ("slowwave_eraser", False, True, False),
        ("slowwave_owner", True, True, False),
    ]


def test_a_process_can_switch_only_to_app_or_dispatch_or_eraser(admin: psycopg.Connection) -> None:
    memberships = admin.execute(
        "SELECT roleid::regrole::text, member::regrole::text, inherit_option, set_option, admin_option "
        "FROM pg_auth_members WHERE member::regrole::text LIKE 'slowwave%' ORDER BY 2, 1"
    ).fetchall()

    assert memberships == [
        *((f"slowwave_{role}", "slowwave", False, True, False) for role in ("app", "dispatch", "eraser")),
        ("pg_checkpoint", "slowwave_owner", True, True, False),
    ]


@pytest.fixture
def eraser(postgres_server: PostgresServer, database: str) -> Iterator[psycopg.Connection]:
    """The role that removes content, in a transaction of one tenant."""
    with connected(postgres_server, database, "slowwave", "slowwave_eraser") as connection:
        work_for(connection, MINE)
        yield connection


def test_the_eraser_sees_one_tenant_and_the_letters_of_the_installation_and_writes_nothing_new(
    eraser: psycopg.Connection, admin: psycopg.Connection
) -> None:
    seen = granted(admin, "slowwave_eraser", "SELECT") - {"webhooks"}

    assert {table: tenants_in(eraser, table) for table in seen} == {table: {MINE} for table in seen}
    assert granted(admin, "slowwave_eraser", "INSERT") == set()
    assert granted(admin, "slowwave_eraser", "TRUNCATE") == set()
    assert {"deltas", "tenants", "scope_leases", "watermarks", "firings", "audit_log", "facts"} & granted(
        admin, "slowwave_eraser", "DELETE"
    ) == {"firings"}
    assert "deltas" not in granted(admin, "slowwave_eraser", "UPDATE")
    theirs = ("DELETE FROM episodes WHERE tenant = 'theirs'", "UPDATE facts SET text = '' WHERE tenant = 'theirs'")
    for statement in theirs:
        assert eraser.execute(statement.encode()).rowcount == 0


def test_the_eraser_without_a_tenant_removes_nothing(postgres_server: PostgresServer, database: str) -> None:
    with (
        connected(postgres_server, database, "slowwave", "slowwave_eraser") as nobody,
        pytest.raises(InsufficientPrivilege, match="no tenant is set for this transaction"),
    ):
        nobody.execute("DELETE FROM episodes")


def test_a_login_without_a_role_has_no_rights(postgres_server: PostgresServer, database: str) -> None:
    with connected(postgres_server, database, "slowwave") as login:
        for table in tables(login):
            with pytest.raises(InsufficientPrivilege, match="permission denied"), login.transaction():
                tenants_in(login, table)


@pytest.mark.parametrize("role", ["slowwave_owner", "postgres"])
def test_a_process_cannot_switch_to_a_stronger_role(nobody: psycopg.Connection, role: str) -> None:
    with pytest.raises(InsufficientPrivilege, match="permission denied to set role"):
        nobody.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(role)))


@pytest.mark.parametrize("statement", ROWS["schema_changes"])
def test_the_app_cannot_change_the_schema(app: psycopg.Connection, statement: str) -> None:
    with pytest.raises(InsufficientPrivilege):
        app.execute(statement)


@pytest.mark.usefixtures("_undeterred")
def test_the_library_connects_as_a_login_without_rights_and_acts_as_app_or_dispatch(
    postgres_server: PostgresServer, database: str
) -> None:
    store = Database(postgres_server.url(database=database))
    who = "SELECT session_user, current_user, current_setting('is_superuser')"
    with store.tenant(MINE) as connection:
        assert connection.exec_driver_sql(who).one() == ("slowwave", "slowwave_app", "off")
    with store.dispatch() as connection:
        assert connection.exec_driver_sql(who).one() == ("slowwave", "slowwave_dispatch", "off")
    store.close()


@pytest.mark.usefixtures("_undeterred")
def test_each_connection_has_timeouts(postgres_server: PostgresServer, database: str) -> None:
    store = Database(postgres_server.url(database=database))
    names = ("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout")
    with store.tenant(MINE) as app, store.dispatch() as dispatch:
        for connection in (app, dispatch):
            limits = [connection.exec_driver_sql(f"SHOW {name}").scalar_one() for name in names]
            assert limits == ["5s", "30s", "10s"]
    store.close()


# grants no wider than needed


def test_no_role_can_create_temporary_tables(admin: psycopg.Connection, template: str) -> None:
    found = admin.execute(
        "SELECT rolname::text FROM pg_roles WHERE rolname IN ('slowwave', 'slowwave_app', 'slowwave_dispatch') "
        "AND has_database_privilege(oid, %s, 'TEMPORARY')",
        (template,),  # the one the migrations ran in: a copy has rights of its own
    ).fetchall()

    assert found == []


@pytest.mark.parametrize(
    "change",
    ["tstzrange('1999-01-01', NULL)", "tstzrange(lower(recorded), NULL)", "tstzrange(lower(recorded), '2999-01-01')"],
)
def test_a_closed_fact_cannot_be_reopened(app: psycopg.Connection, change: str) -> None:
    app.execute("UPDATE facts SET recorded = tstzrange(lower(recorded), slowwave_now()) WHERE upper_inf(recorded)")
    with pytest.raises(InsufficientPrivilege, match="closed once"):
        app.execute(sql.SQL("UPDATE facts SET recorded = {}").format(sql.SQL(change)))


@pytest.mark.parametrize("at", ["290000-01-01", "4000-01-01 BC", "1969-12-31"])
def test_a_partition_outside_1970_to_2999_is_refused(dispatch: psycopg.Connection, at: str) -> None:
    with pytest.raises(InvalidParameterValue, match="1970 to 2999"):
        dispatch.execute("SELECT slowwave_make_partition('episodes', %s)", (at,))


@pytest.mark.parametrize("tenant", ["_system", MINE])
def test_the_app_cannot_insert_spaces_or_processes(
    nobody: psycopg.Connection, admin: psycopg.Connection, tenant: str
) -> None:
    work_for(nobody, tenant)
    for table in ("embedding_spaces", "processes"):
        with pytest.raises(InsufficientPrivilege, match="permission denied"), nobody.transaction():
            insert(nobody, table, row(admin, table, tenant))


def test_a_space_with_other_dimensions_does_not_block_a_correct_one(app: psycopg.Connection) -> None:
    for dimensions in (3, 256, 3):
        app.execute("SELECT slowwave_make_space('taken@1', %s)", (dimensions,))

    made = app.execute("SELECT tenant, dimensions FROM embedding_spaces WHERE name = 'taken@1' ORDER BY 2").fetchall()
    assert made == [("_system", 3), ("_system", 256)]


@pytest.mark.parametrize(
    ("name", "dimensions"), [("", 3), (" ", 3), ("x" * 201, 3), ("x", 0), ("x", 16_001), (None, 3)]
)
def test_an_embedding_space_with_invalid_dimensions_is_refused(
    app: psycopg.Connection, name: str | None, dimensions: int
) -> None:
    with pytest.raises(InvalidParameterValue, match="200 characters and 1 to 16000 dimensions"):
        app.execute("SELECT slowwave_make_space(%s, %s)", (name, dimensions))


def test_the_number_of_embedding_spaces_is_limited(app: psycopg.Connection) -> None:
    with pytest.raises(ProgramLimitExceeded, match="1000 embedding spaces"):
        app.execute("SELECT slowwave_make_space('many@' || n, 3) FROM generate_series(1, 1001) AS n")


@pytest.mark.parametrize("role", sorted(MAY_LOCK))
def test_a_role_can_lock_only_tables_that_it_may_delete_from(
    postgres_server: PostgresServer, database: str, role: str
) -> None:
    with connected(postgres_server, database, "slowwave", role) as connection:
        locked = set()
        for table in tables(connection):
            with contextlib.suppress(InsufficientPrivilege), connection.transaction(force_rollback=True):
                connection.execute(sql.SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE").format(sql.Identifier(table)))
                locked.add(table)

    assert locked == MAY_LOCK[role]


@pytest.mark.parametrize("call", [
    "pg_try_advisory_lock(5311)", "pg_advisory_lock_shared(1, 2)", "pg_try_advisory_xact_lock(5311)", "lo_create(0)",
    "lo_creat(-1)", "lo_from_bytea(0, 'x')",
])  # fmt: skip
def test_no_role_can_take_advisory_locks_or_create_large_objects(
    app: psycopg.Connection, dispatch: psycopg.Connection, call: str
) -> None:
    for connection in (app, dispatch):
        with pytest.raises(InsufficientPrivilege, match="permission denied for function"), connection.transaction():
            connection.execute(f"SELECT {call}".encode())


@pytest.mark.parametrize("login", ["slowwave", "slowwave_owner"])
@pytest.mark.parametrize("other", ["postgres", "template1"])
def test_our_logins_cannot_connect_to_another_database(postgres_server: PostgresServer, login: str, other: str) -> None:
    with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
        psycopg.connect(postgres_server.url(login, other))
