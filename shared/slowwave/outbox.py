"""The outbox: a durable queue in one local file, for episodes that cannot be delivered yet.

An entry stays until Postgres or a worker acknowledges that the episode is stored. A refused entry stays, with the
reason, until a user removes the entry. Several threads and processes may share the outbox.
"""

import contextlib
import json
import os
import sqlite3
import stat
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from slowwave.domain.episode import Episode
from slowwave.domain.receipt import Spooled, StoreOutcome
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect, Unavailable
from slowwave.formatting import brief
from slowwave.runtime import clock

MOST_BYTES = 256 * 1024 * 1024
BUSY_SECONDS = 5.0
"""The number of seconds to wait for another process's lock on the file. After this time, an error is raised."""
LONGEST_PAUSE = 7
"""The number of times that the delay before resending an unconfirmed entry doubles."""

SCHEMA = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA secure_delete = ON;
CREATE TABLE IF NOT EXISTS entries (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id BLOB NOT NULL, scope BLOB NOT NULL,
    tenant TEXT NOT NULL, user TEXT NOT NULL, agent TEXT NOT NULL, channel TEXT NOT NULL,
    digest BLOB NOT NULL, episode TEXT NOT NULL,
    sends INTEGER NOT NULL DEFAULT 0, sent REAL, reason TEXT
);
CREATE UNIQUE INDEX IF NOT EXISTS entries_waiting ON entries (id) WHERE reason IS NULL;
CREATE INDEX IF NOT EXISTS entries_of_scope ON entries (scope) WHERE reason IS NULL;
CREATE INDEX IF NOT EXISTS entries_unsent ON entries (number) WHERE reason IS NULL AND sent IS NULL;
CREATE TABLE IF NOT EXISTS client (id TEXT NOT NULL);
"""
_HINT = "SLOWWAVE_OUTBOX names a file on a local disk that only this user can read and write"
_INHERITED: list[sqlite3.Connection] = []
"""The connections of the parent process after a fork. SQLite forbids to use or close these connections in the child."""
_NOFOLLOW: int = getattr(os, "O_NOFOLLOW", 0)  # Windows makes no links for ordinary users


class Outbox:
    """Episodes in order of arrival, in the file *path* (mode 0600). Each key of a scope is pending at most once.

    Without a path, the outbox is in memory. Beyond *most_bytes*, `add` raises `Unavailable`.
    """

    def __init__(self, path: Path | str | None, *, most_bytes: int = MOST_BYTES) -> None:
        self.path = None if path is None else Path(path).absolute()
        self.most_bytes = most_bytes
        self._lock = threading.RLock()
        self._opened: tuple[int, sqlite3.Connection] | None = None
        with self._transaction() as connection:
            connection.execute(
                "INSERT INTO client SELECT ? WHERE NOT EXISTS (SELECT 1 FROM client)", (uuid.uuid4().hex,)
            )
            (self.client,) = connection.execute("SELECT id FROM client").fetchone()

    def add(self, scope: Scope, episodes: Sequence[Episode]) -> list[StoreOutcome]:
        """Store all *episodes* or none. Return for each episode whether it is new, already stored, or in conflict.

        Raises `Unavailable` when the outbox is full.
        """
        with self._transaction() as connection:
            self._require_room(connection, sum(len(episode.content) for episode in episodes))
            return [self._add(connection, scope, episode) for episode in episodes]

    def first(self, limit: int, *, besides: Iterable[str] = ()) -> list[Spooled]:
        """Return the oldest pending entries, at most *limit*. Entries of the tenants in *besides* are left out."""
        which = "reason IS NULL AND tenant NOT IN (SELECT value FROM json_each(?)) ORDER BY number LIMIT ?"
        return self._entries(which, json.dumps(list(besides)), limit)

    def unsent(self, limit: int) -> list[Spooled]:
        """Return the oldest pending entries that must be sent for the first time or again."""
        return self._entries("reason IS NULL AND sent IS NULL ORDER BY number LIMIT ?", limit)

    def refused(self) -> list[Spooled]:
        """Return the refused entries, each with its reason."""
        return self._entries("reason IS NOT NULL ORDER BY number")

    def waiting(self) -> int:
        """Return the number of pending entries."""
        with self._reading() as connection:
            return int(connection.execute("SELECT count(*) FROM entries WHERE reason IS NULL").fetchone()[0])

    def holds(self, scope: Scope | None = None) -> bool:
        if scope is None:
            return self._any("")
        return self._any("AND scope = ?", scope.id.bytes)

    def waits_sent(self) -> bool:
        """Return whether any entry was sent but not confirmed."""
        return self._any("AND sent IS NOT NULL")

    def still_unsent(self, ids: Iterable[uuid.UUID]) -> set[uuid.UUID]:
        """Return those of *ids* that are pending and unsent."""
        with self._reading() as connection:
            statement = "SELECT 1 FROM entries WHERE reason IS NULL AND sent IS NULL AND id = ?"
            return {id_ for id_ in ids if connection.execute(statement, (id_.bytes,)).fetchone()}

    def mark_sent(self, numbers: Iterable[int], at: float) -> None:
        """Record that entries were sent at *at*, in seconds of the host's clock."""
        with self._transaction() as connection:
            connection.executemany(
                "UPDATE entries SET sent = ?, sends = sends + 1 WHERE number = ?", [(at, number) for number in numbers]
            )

    def send_again(self, at: float, after_seconds: float) -> int:
        """Mark entries as unsent if they were sent *after_seconds* before the time *at*; return their number.

        The interval doubles each time the same entry is sent again.
        """
        with self._transaction() as connection:
            return connection.execute(
                "UPDATE entries SET sent = NULL WHERE reason IS NULL AND sent IS NOT NULL "
                "AND (sent + ? * (1 << min(sends - 1, ?)) <= ? OR sent > ?)",  # sent after now: the clock was set back
                (after_seconds, LONGEST_PAUSE, at, at),
            ).rowcount

    def remove(self, numbers: Iterable[int]) -> None:
        """Delete entries that are stored, or that were refused and inspected."""
        with self._transaction() as connection:
            connection.executemany("DELETE FROM entries WHERE number = ?", [(number,) for number in numbers])
        self._tidy()

    def refuse(self, number: int, reason: str) -> None:
        """Mark an entry as refused, with the reason."""
        with self._transaction() as connection:
            connection.execute("UPDATE entries SET reason = ? WHERE number = ?", (reason, number))

    def settle(self, settled: Iterable[tuple[uuid.UUID, str | None]]) -> None:
        """Delete the pending entries with these episode ids. An entry with a reason is marked as refused instead."""
        with self._transaction() as connection:
            for id_, reason in settled:
                if reason is None:
                    connection.execute("DELETE FROM entries WHERE reason IS NULL AND id = ?", (id_.bytes,))
                else:
                    connection.execute(
                        "UPDATE entries SET reason = ? WHERE reason IS NULL AND id = ?", (reason, id_.bytes)
                    )
        self._tidy()

    def forget(self, leaves: Callable[[Spooled], bool], *, removing: bool = True) -> int:
        """Delete the entries, pending or refused, for which *leaves* returns True; return their number. With *removing*
        False, only count.

        The text of these entries is also deleted from the journal of SQLite.
        """
        every = self._entries("true ORDER BY number")
        numbers = [one.number for one in every if leaves(one)]
        if not removing:
            return len(numbers)
        with self._transaction() as connection:
            connection.executemany("DELETE FROM entries WHERE number = ?", [(number,) for number in numbers])
        with self._lock, self._translated():
            self._connection().execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return len(numbers)

    def close(self) -> None:
        """Close the file. Its entries stay stored."""
        with self._lock:
            self._tidy()
            if self._opened is not None and self._opened[0] == os.getpid():
                self._opened[1].close()
            self._opened = None

    def __repr__(self) -> str:
        return brief(self, self.path or "in memory")

    def _add(self, connection: sqlite3.Connection, scope: Scope, episode: Episode) -> StoreOutcome:
        id_, digest = scope.episode_id(episode.key), episode.digest
        before = connection.execute("SELECT digest FROM entries WHERE reason IS NULL AND id = ?", (id_.bytes,))
        if known := before.fetchone():
            return "known" if known[0] == digest else "conflict"
        message = json.dumps(episode.to_message(), ensure_ascii=False)
        connection.execute(
            "INSERT INTO entries (id, scope, tenant, user, agent, channel, digest, episode) VALUES (?,?,?,?,?,?,?,?)",
            (id_.bytes, scope.id.bytes, scope.tenant, scope.user, scope.agent, scope.channel, digest, message),
        )
        return "new"

    def _require_room(self, connection: sqlite3.Connection, more: int) -> None:
        size, pages, free = (
            connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_size", "page_count", "freelist_count")
        )
        if (pages - free) * size + more > self.most_bytes:
            raise Unavailable(
                f"the outbox {self.path or ''} is full: it takes {self.most_bytes} bytes",
                retry_after_seconds=10,
                hint="restore the connection it waits for, or raise SLOWWAVE_OUTBOX_BYTES",
            )

    def _entries(self, which: str, *values: Any) -> list[Spooled]:
        with self._reading() as connection:
            rows = connection.execute(
                f"SELECT number, tenant, user, agent, channel, episode, reason FROM entries WHERE {which}",  # noqa: S608  # ours
                values,
            ).fetchall()
        return [Spooled(number, Scope(*parts), json.loads(text), reason) for number, *parts, text, reason in rows]

    def _any(self, which: str, *values: Any) -> bool:
        with self._reading() as connection:
            statement = f"SELECT EXISTS (SELECT 1 FROM entries WHERE reason IS NULL {which})"  # noqa: S608  # ours
            return bool(connection.execute(statement, values).fetchone()[0])

    def _tidy(self) -> None:
        """Remove all text of episodes from SQLite's journal, too, if no entry is pending."""
        with self._lock:
            if self.path is not None and self._opened is not None and not self._any(""):
                self._opened[1].execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._translated():
            connection = self._connection()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.rollback()
                raise
            connection.commit()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._translated():
            yield self._connection()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise Unavailable(f"the outbox {self.path} cannot be used now: {error}", hint=_HINT) from error
        except sqlite3.DatabaseError as error:
            raise Incorrect(f"{self.path} is not an outbox, or is damaged: {error}", hint=_HINT) from error

    def _connection(self) -> sqlite3.Connection:
        if self._opened is None or self._opened[0] != os.getpid():
            if self._opened is not None:
                _INHERITED.append(self._opened[1])
            self._opened = os.getpid(), self._open()
        return self._opened[1]

    def _open(self) -> sqlite3.Connection:
        if self.path is not None:
            _make_private(self.path)
        connection = sqlite3.connect(
            self.path or ":memory:", timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        end = clock.monotonic() + BUSY_SECONDS
        while True:
            try:
                connection.executescript(SCHEMA)
                return connection
            except sqlite3.OperationalError:  # another process creates the file now, and SQLite does not wait
                if clock.monotonic() >= end:
                    connection.close()
                    raise
                time.sleep(0.01)
            except sqlite3.DatabaseError:
                connection.close()
                raise


def _make_private(path: Path) -> None:
    """Create *path* as a private file, or make an existing file private. Raises `Incorrect` for another user's file.

    SQLite's journals get the same mode. The function never opens an existing file, because closing the file would
    release the locks that SQLite holds on it in this process.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | _NOFOLLOW, 0o600))
        found = path.lstat()
        another_users = hasattr(os, "geteuid") and found.st_uid != os.geteuid()  # home folders of Windows are private
        if not stat.S_ISREG(found.st_mode) or another_users:
            raise Incorrect(f"the outbox {path} is not a file of this user", hint=_HINT)
        path.chmod(0o600)
    except (OSError, ValueError) as error:  # an invalid name, with a NUL or a lone surrogate
        why = getattr(error, "strerror", None) or "its name is not a valid file name"
        raise Incorrect.listing(
            f"the outbox {str(path)[:255]!r}", [f"outbox: cannot be opened: {why}"], hint=_HINT
        ) from error
