"""`slowwave db migrate` in a process of its own, on a database that stops it at a chosen step.

It runs the revisions of the checkout and, after them, the samples of this file: a later version's, on busy tables.

A step is a statement of the owner that changes the schema. The database counts them, also those of a transaction that
comes to nothing, and at the chosen one it waits for a lock that the test holds: whoever migrates can be killed there.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import alembic.command  # noqa: F401 - loaded once, in the process that migrations are forked from

from slowwave.cli import database as _loaded  # noqa: F401 - as above
from slowwave.cli import main
from slowwave.store import migrate
from tests.faults.rig.forked import forked
from tests.faults.rig.ground import Ground
from tests.faults.rig.processes import until
from tests.scripts import script

COMMIT = 0
"""The step at which the transaction of the revisions commits, before the client gets the answer."""
WAIT_SECONDS = 60.0
SAMPLES = [
    "ALTER TABLE scope_heads ADD COLUMN sample integer; CREATE INDEX scope_heads_sample ON scope_heads (sample); "
    "COMMENT ON COLUMN scope_heads.sample IS 'A sample.'",
    "ALTER TABLE facts ADD COLUMN sample integer; ALTER TABLE episodes ADD COLUMN sample integer; "
    "CREATE INDEX facts_sample ON facts (sample)",
]
"""The statements of the sample revisions. The first locks one table, which every push and recall reads."""
_LOCK = 7
_COUNTING = script(__file__, "migration.sql", lock=_LOCK, commit=COMMIT).encode()


def count_steps(ground: Ground, database: str) -> None:
    """Let *database* and its copies count the steps of schema changes."""
    with ground.superuser(database) as connection:
        connection.execute(_COUNTING)


def walked(ground: Ground, database: str) -> list[tuple[int, str]]:
    """Return the committed steps, each with the revision of the database before it."""
    return ground.rows(database, "SELECT step, revision FROM rig.walked ORDER BY step")


def migrating(ground: Ground, database: str) -> ForkServerProcess:
    """Start `slowwave db migrate` on *database*, with the sample revisions."""
    folder = ground.home / "migrations"
    if not folder.exists():
        _add_samples(folder)
    url, owner_url = ground.postgres.url(database=database), ground.postgres.url("slowwave_owner", database)
    return forked(_migrate, folder, url, owner_url)


def ended(process: ForkServerProcess) -> int | None:
    """Return the status of a process that has ended or ends soon."""
    process.join(WAIT_SECONDS)
    return process.exitcode


@contextmanager
def halted(ground: Ground, database: str, step: int) -> Iterator[ForkServerProcess]:
    """Give a migration that waits at *step* during the block; its end stops the migration."""
    with ground.superuser(database) as holder:
        holder.execute("SELECT setval('rig.steps', 1, false)")
        holder.execute("INSERT INTO rig.halt VALUES (%s)", [step])
        with holder.transaction():
            holder.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
            process = migrating(ground, database)
            try:
                until(lambda: waiting(ground, database, "advisory") or not process.is_alive(), f"it comes to {step}")
                assert process.is_alive(), f"it never came to step {step}"
                (session,) = sessions(ground, database, "advisory")
                holder.execute("DELETE FROM rig.halt")
                yield process
            except BaseException:
                process.kill()
                raise
        # a killed client's last statement still runs to its end, with its steps
        until(lambda: session not in sessions(ground, database, None), "what was begun has ended")


def waiting(ground: Ground, database: str, event: str) -> int:
    """Return the number of migrating sessions that wait for an *event*."""
    return len(sessions(ground, database, event))


def sessions(ground: Ground, database: str, event: str | None) -> list[int]:
    """Return the migrating sessions that wait for an *event*, or all of them for None."""
    migrating = (
        "SELECT pid FROM pg_stat_activity WHERE datname = %s AND usename = 'slowwave_owner' "
        "AND (%s::text IS NULL OR wait_event = %s) ORDER BY pid"
    )
    return [pid for (pid,) in ground.rows("postgres", migrating, database, event, event)]


def _add_samples(folder: Path) -> None:
    """Copy the revisions of the checkout to *folder*, and write the samples after them."""
    shutil.copytree(migrate._MIGRATIONS, folder)
    newest = max((folder / "versions").glob("[0-9]*.py"))
    for sample in SAMPLES:
        number = newest.name[:4]
        following = newest.with_name(f"{int(number) + 1:04}_sample.py")
        text = newest.read_text(encoding="utf-8").replace(
            f'\nrevision = "{number}"', f'\nrevision = "{following.name[:4]}"'
        )
        lines = [f'down_revision = "{number}"' if line.startswith("down_") else line for line in text.splitlines()]
        following.write_text("\n".join(lines), encoding="utf-8")
        following.with_suffix(".sql").write_text(sample, encoding="utf-8")
        newest = following


def _migrate(migrations: Path, url: str, owner_url: str) -> None:
    migrate._MIGRATIONS = migrations
    os.environ |= {"SLOWWAVE_URL": url, "SLOWWAVE_OWNER_URL": owner_url}
    main(["db", "migrate"])
