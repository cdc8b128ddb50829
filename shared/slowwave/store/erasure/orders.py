"""Orders to forget. An order is stored as ids and keyed digests before the removal, and can be finished later."""

import hmac
import json
import uuid
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from slowwave.domain.erasure import Erasure, Wanted
from slowwave.domain.personal_data import BEYOND
from slowwave.errors import Conflict, NotFound
from slowwave.store.erasure.erasing import Order, as_eraser, note, under_hold
from slowwave.store.erasure.removing import OF_A_TENANT, remove
from slowwave.store.erasure.targets import (
    Reason,
    Target,
    Targets,
    letters_naming,
    loose_audits,
    reasons_naming,
    shown,
    targets_of,
)
from slowwave.store.fingerprints import Fingerprinter, ensure_key, fingerprinter, known_fingerprinter
from slowwave.store.retention.legal_holds import under_legal_hold

UNREWRITTEN = (
    "Dead rows, index entries, statistics and the write-ahead log still hold it: run `slowwave forget --rewrite` with "
    "SLOWWAVE_OWNER_URL set, when nobody minds that tables are locked."
)
UNSEARCHED = "Redis or the outbox of this host could not be searched: ask for the same again once they answer."


Conversation = tuple[str, str, str, str]
"""A conversation: its user, agent, channel and session."""
_ORDER = """
INSERT INTO erasures (erasure, tenant, kind, fingerprint, learn_again, letters, audits)
VALUES (
    %(erasure)s, slowwave_tenant(), %(kind)s, %(fingerprint)s, %(learn_again)s, %(letters)s::bigint[],
    %(audits)s::bigint[]
)
"""
_TARGETS = """
INSERT INTO erasure_targets (erasure, scope, tenant, everything, positions, memories, ordinal)
SELECT
    %(erasure)s, scope, slowwave_tenant(), everything, positions::bigint[], memories::uuid[], ordinal
FROM unnest(%(scopes)s::uuid[], %(everything)s::boolean[], %(positions)s::text[], %(memories)s::text[])
    WITH ORDINALITY AS new (scope, everything, positions, memories, ordinal)
"""
_CONVERSATIONS_IN = """
SELECT DISTINCT h.user_id, h.agent, h.channel, e.session
FROM unnest(%(scopes)s::uuid[], %(everything)s::boolean[], %(positions)s::text[]) AS t (scope, everything, positions)
JOIN scope_heads AS h USING (scope) JOIN episodes AS e USING (scope)
WHERE t.everything OR e.position = ANY(t.positions::bigint[])
"""
_ERASED = """
UPDATE erasures SET erased = slowwave_now()
WHERE erasure = %(erasure)s AND NOT EXISTS (
    SELECT FROM erasure_targets AS t WHERE t.erasure = erasures.erasure AND t.done IS NULL
)
"""
_RECEIPT = """
SELECT
    e.erasure, e.kind, e.asked, e.erased, e.rewritten, e.beside, e.counts, e.calls,
    (SELECT count(*) FROM erasure_targets AS t WHERE t.erasure = e.erasure) AS scopes
FROM erasures AS e
WHERE e.erasure = %(erasure)s
"""


@dataclass(frozen=True, slots=True)
class Covered:
    """The content of the database that a request covers: *targets* by scope, and the rows that belong to no target.

    A scope with *reasons* is a target, too.
    """

    targets: Targets
    letters: list[int]
    audits: list[int]
    reasons: list[Reason]

    def __bool__(self) -> bool:
        return bool(self.targets or self.letters or self.audits or self.reasons)

    @property
    def counts(self) -> dict[str, int]:
        """The number of dead letters, audit rows and reasons, by table."""
        tables = [reason.place.partition(".")[0] for reason in self.reasons]
        tables += ["dead_letters"] * len(self.letters) + ["audit_log"] * len(self.audits)
        return dict(Counter(tables))


def covered_by(connection: Connection, wanted: Wanted, tenant: str, *, otherwise: str) -> Covered:
    """Return the content of the database that a request covers. Dead letters that name no tenant count as those of the
    tenant *otherwise*.
    """
    targets = dict(targets_of(connection, wanted))
    whole = {scope for scope, target in targets.items() if target.everything}
    reasons = [one for one in reasons_naming(connection, wanted) if one.scope not in whole]
    for one in reasons:
        if one.scope is not None:
            targets.setdefault(one.scope, Target())
    with as_eraser(connection):
        letters = letters_naming(connection, wanted, tenant, otherwise=otherwise)
    return Covered(dict(sorted(targets.items())), letters, loose_audits(connection, wanted), reasons)


def nothing_found() -> NotFound:
    """Return the error for a request that covers nothing."""
    return NotFound("nothing is remembered of that", hint="it may be forgotten already: `slowwave forget --list`")


def preview_of(
    connection: Connection, wanted: Wanted, tenant: str, *, otherwise: str, elsewhere: bool
) -> tuple[Erasure, set[Conversation]]:
    """Return the preview of an erasure, with counts and examples of what it would remove, and the conversations of the
    targets.

    *elsewhere* says whether the request covers content outside the database.
    """
    found = covered_by(connection, wanted, tenant, otherwise=otherwise)
    if found or elsewhere:
        ensure_key(connection)
    counts, episodes, facts = shown(connection, found.targets)
    token = None if known_fingerprinter(connection) is None else token_of(connection, found.targets)
    made = Erasure(
        wanted.kind, len(found.targets), counts | found.counts, preview=True,
        under_legal_hold=_held(connection, found.targets), episodes=tuple(episodes), facts=tuple(facts), token=token,
        beyond=BEYOND,
    )  # fmt: skip
    rows = connection.exec_driver_sql(_CONVERSATIONS_IN, _columns(found.targets))
    return made, {(user, agent, channel, session) for user, agent, channel, session in rows}


def _held(connection: Connection, targets: Targets) -> bool:
    """Return whether a legal hold covers one of *targets*, or the whole tenant."""
    return bool(under_legal_hold(connection, [*targets, uuid.UUID(int=0)]))


def token_of(connection: Connection, targets: Targets) -> str:
    """Return a keyed digest of *targets*. A person repeats this token to confirm the targets of a preview."""
    digest_input = [
        [
            str(scope),
            one.everything,
            sorted(one.positions),
            sorted(map(str, one.memories)),
            _head(connection, scope, one.everything),
        ]
        for scope, one in targets.items()
    ]
    return fingerprinter(connection).payload(json.dumps(digest_input).encode()).hex()[:32]


def _head(connection: Connection, scope: uuid.UUID, everything: bool) -> int:
    if not everything:
        return 0
    found = connection.exec_driver_sql("SELECT head FROM scope_heads WHERE scope = %(scope)s", {"scope": scope})
    return int(found.scalar_one())


def ordered(
    connection: Connection, wanted: Wanted, tenant: str, *, confirm: str | None, learn_again: bool, otherwise: str,
    elsewhere: bool,
) -> uuid.UUID:  # fmt: skip
    """Return the id of the interrupted order of the same request, or else of a new order.

    *elsewhere* says whether the request covers content outside the database. If nothing is left to erase, return the id
    of the latest finished order. Raises `NotFound` if there is none. Raises `Conflict` under a legal hold, or if
    *confirm* is the token of other targets.
    """
    if known_fingerprinter(connection) is None:
        if not (elsewhere or covered_by(connection, wanted, tenant, otherwise=otherwise)):
            raise nothing_found()
        ensure_key(connection)
    interrupted, before = orders_of(connection, wanted)
    if interrupted is not None:
        return interrupted
    found = covered_by(connection, wanted, tenant, otherwise=otherwise)
    if not (found or elsewhere):
        if before is None:
            raise nothing_found()
        return before
    if _held(connection, found.targets):
        raise under_hold()
    if confirm is not None and confirm != token_of(connection, found.targets):
        raise Conflict(
            "this would now erase something else than the preview showed", hint="make a new preview, and confirm that"
        )
    return place_order(connection, wanted, found, learn_again=learn_again)


def conversations_of(connection: Connection, erasure: uuid.UUID) -> set[Conversation]:
    """Return the conversations whose episodes are among the targets of an erasure."""
    rows = connection.exec_driver_sql(
        "SELECT DISTINCT h.user_id, h.agent, h.channel, e.session FROM erasure_targets AS t "
        "JOIN scope_heads AS h USING (scope) JOIN episodes AS e USING (scope) "
        "WHERE t.erasure = %(erasure)s AND t.done IS NULL AND (t.everything OR e.position = ANY(t.positions))",
        {"erasure": erasure},
    )
    return {(user, agent, channel, session) for user, agent, channel, session in rows}


def place_order(connection: Connection, wanted: Wanted, found: Covered, *, learn_again: bool) -> uuid.UUID:
    """Store an order to erase *found*; return its id."""
    erasure = uuid.uuid4()
    connection.exec_driver_sql(
        _ORDER,
        {
            "erasure": erasure,
            "kind": wanted.kind,
            "fingerprint": print_of(connection, wanted),
            "learn_again": learn_again,
            "letters": found.letters,
            "audits": found.audits,
        },
    )
    connection.exec_driver_sql(_TARGETS, {"erasure": erasure, **_columns(found.targets)})
    return erasure


def _columns(targets: Targets) -> dict[str, Any]:
    every = targets.values()
    return {
        "scopes": list(targets),
        "everything": [one.everything for one in every],
        "positions": ["{" + ",".join(map(str, sorted(one.positions))) + "}" for one in every],
        "memories": ["{" + ",".join(map(str, sorted(one.memories))) + "}" for one in every],
    }


def print_of(connection: Connection, wanted: Wanted) -> bytes:
    """Return the fingerprint of a request, by which a repeated request is found."""
    return fingerprinter(connection).payload(json.dumps(["erasure", *wanted.words]).encode())


def orders_of(connection: Connection, wanted: Wanted) -> tuple[uuid.UUID | None, uuid.UUID | None]:
    """Return the oldest unfinished order of the same request, and the latest finished one."""
    rows = connection.exec_driver_sql(
        "SELECT erasure, erased FROM erasures WHERE fingerprint = %(fingerprint)s ORDER BY asked",
        {"fingerprint": print_of(connection, wanted)},
    ).all()
    unfinished = next((row.erasure for row in rows if row.erased is None), None)
    return unfinished, next((row.erasure for row in reversed(rows) if row.erased is not None), None)


def order_of(connection: Connection, erasure: uuid.UUID, wanted: Wanted) -> Order:
    """Return the stored order with the id *erasure*, which is for the request *wanted*."""
    statement = "SELECT learn_again FROM erasures WHERE erasure = %(erasure)s"
    return Order(erasure, wanted, connection.exec_driver_sql(statement, {"erasure": erasure}).scalar_one())


def pending(connection: Connection, erasure: uuid.UUID) -> list[uuid.UUID]:
    """Return the scopes in which an order is not carried out yet, in the order of the targets."""
    rows = connection.exec_driver_sql(
        "SELECT scope FROM erasure_targets WHERE erasure = %(erasure)s AND done IS NULL ORDER BY ordinal",
        {"erasure": erasure},
    )
    return list(rows.scalars())


def finish(connection: Connection, erasure: uuid.UUID, wanted: Wanted, outside: Counter[str]) -> None:
    """Remove the content that belongs to no scope. If no scope is pending, record that all content is removed.

    *outside* has the number of entries that were removed outside the database, which the receipt counts too.
    """
    row = connection.exec_driver_sql(
        "SELECT letters, audits FROM erasures WHERE erasure = %(erasure)s", {"erasure": erasure}
    ).one()
    asked: dict[str, Any] = {
        "erasure": erasure, "letters": row.letters, "audits": row.audits, "user": wanted.user,
        "nameless": wanted.kind == "user", "undos.reason": [], "undos.by_whom": [], "legal_holds": [],
        "delta_payloads": [], "promotions": [], "model_calls": [], "quotas": [], "webhooks": [],
    }  # fmt: skip
    for reason in reasons_naming(connection, wanted):
        asked[reason.place].append(reason.id)
    with as_eraser(connection):
        note(connection, erasure, remove(connection, OF_A_TENANT, asked) + outside)
        connection.exec_driver_sql(_ERASED, {"erasure": erasure})


def searched(connection: Connection, erasure: uuid.UUID) -> None:
    """Record that Redis and the outbox were searched."""
    with as_eraser(connection):
        connection.exec_driver_sql(
            "UPDATE erasures SET beside = slowwave_now() WHERE erasure = %(erasure)s", {"erasure": erasure}
        )


def to_rewrite(connection: Connection) -> tuple[list[uuid.UUID], list[str]]:
    """Return the tenant's erasures whose tables are not rewritten yet, and the names of these tables and partitions."""
    rows = connection.exec_driver_sql(
        "SELECT erasure, tables FROM erasures WHERE erased IS NOT NULL AND rewritten IS NULL ORDER BY asked"
    ).all()
    return [row.erasure for row in rows], sorted({table for row in rows for table in row.tables})


def rewritten(connection: Connection, erasures: list[uuid.UUID]) -> None:
    """Record that the tables of these erasures were rewritten."""
    with as_eraser(connection):
        connection.exec_driver_sql(
            "UPDATE erasures SET rewritten = slowwave_now() WHERE erasure = ANY(%(erasures)s::uuid[])",
            {"erasures": erasures},
        )


def latest(connection: Connection, *, most: int) -> list[uuid.UUID]:
    """Return the ids of the tenant's latest orders, newest first."""
    rows = connection.exec_driver_sql(
        "SELECT erasure FROM erasures ORDER BY asked DESC, erasure LIMIT %(most)s", {"most": most}
    )
    return list(rows.scalars())


def receipt_of(connection: Connection, erasure: uuid.UUID) -> Erasure:
    """Return the receipt of an order, signed with the tenant's key. A receipt has no content."""
    row = connection.exec_driver_sql(_RECEIPT, {"erasure": erasure}).mappings().one()
    made = Erasure(**_receipt_fields(dict(row)))
    return _signed(made, fingerprinter(connection))


def is_ours(connection: Connection, receipt: Erasure) -> bool:
    """Return whether the receipt was signed with the tenant's key."""
    return hmac.compare_digest(_signed(receipt, fingerprinter(connection)).signature, receipt.signature)


def _receipt_fields(row: Mapping[str, Any]) -> dict[str, Any]:
    erased: datetime | None = row["erased"]
    todo = [
        *([] if erased else ["The erasure was interrupted: ask for the same again, that finishes it."]),
        *([] if row["beside"] else [UNSEARCHED]),
        *([] if row["rewritten"] else [UNREWRITTEN]),
    ]
    return {
        "kind": row["kind"], "scopes": row["scopes"], "counts": dict(sorted(row["counts"].items())),
        "id": row["erasure"], "asked": row["asked"], "erased": erased, "rewritten": row["rewritten"],
        "calls": tuple(row["calls"]), "todo": tuple(todo), "beyond": BEYOND,
    }  # fmt: skip


def _signed(receipt: Erasure, prints: Fingerprinter) -> Erasure:
    return replace(receipt, signature=prints.payload(b"receipt " + receipt.signed).hex())
