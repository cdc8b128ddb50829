"""Scopes and tenants, created with the rows that their work needs: head, lease, watermarks."""

import secrets
from collections.abc import Iterable
from dataclasses import replace

from sqlalchemy import Connection

from slowwave.domain.job_table import WINDOWED
from slowwave.domain.scope import GLOBAL_CHANNEL, Scope
from slowwave.store import advisory_locks
from slowwave.store.statements import sql


def create_scopes(connection: Connection, scopes: Iterable[Scope]) -> None:
    """Create the missing rows of scopes and of their tenant. All scopes are of one tenant; safe to repeat.

    Beside the scope of a channel, the `_global` scope of the same agent and user is created: promotions write there.

    The lock prevents packs from being registered meanwhile. A separate statement takes it: a statement that waited for
    the lock would not see a new pack, and the scope would lack that pack's watermark.
    """
    asked = set(scopes)
    new = sorted(asked | {replace(scope, channel=GLOBAL_CHANNEL) for scope in asked}, key=lambda scope: scope.id)
    connection.exec_driver_sql("SELECT pg_advisory_xact_lock_shared(%(lock)s)", {"lock": advisory_locks.PACKS})
    connection.exec_driver_sql(
        "INSERT INTO tenants (tenant, fingerprint_key) VALUES (slowwave_tenant(), %(key)s) ON CONFLICT DO NOTHING",
        {"key": secrets.token_bytes(32)},
    )
    connection.exec_driver_sql(
        sql("inbox/create_scopes"),
        {
            "scopes": [scope.id for scope in new],
            "users": [scope.user for scope in new],
            "agents": [scope.agent for scope in new],
            "channels": [scope.channel for scope in new],
            "windowed": list(WINDOWED),
        },
    )


def name_again(connection: Connection, scopes: Iterable[Scope]) -> None:
    """Restore the names of *scopes* that an erasure removed, and those of the `_global` scopes of the same agents."""
    asked = set(scopes)
    for scope in sorted(asked | {replace(scope, channel=GLOBAL_CHANNEL) for scope in asked}, key=lambda one: one.id):
        connection.exec_driver_sql(
            "UPDATE scope_heads SET user_id = %(user)s, channel = %(channel)s, erased = NULL "
            "WHERE scope = %(scope)s AND erased IS NOT NULL",
            {"scope": scope.id, "user": scope.user, "channel": scope.channel},
        )
