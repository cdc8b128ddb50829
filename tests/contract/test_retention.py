"""What is kept, and for how long: entities nobody asks about, facts and episodes whose time has passed."""

from datetime import timedelta

import pytest

from slowwave.domain.job_table import ARCHIVE, DECAY
from slowwave.domain.scope import Scope
from slowwave.errors import NotFound
from slowwave.memory import MemoryScope
from slowwave.store.standing import entities
from tests.contract.desk import Desk
from tests.contract.keepings import (
    Keep,
    archived,
    believed,
    entity_row,
    expired,
    keep,
    recalled,
    tell,
    tombstoned,
    withdraw,
)
from tests.contract.standings import changed, later, now, run, stands
from tests.ledger import rebuilt

__all__ = ["keep"]
DAY = timedelta(days=1)


# entities


def test_an_entity_comes_with_the_first_fact_about_it(desk: Desk, scope: Scope) -> None:
    tell(desk, scope, "I live in Oslo", "I like figs")

    assert desk.rows("SELECT entity, name, due FROM entities") == [
        (entities.entity_id(scope.id, " USER"), "user", None)
    ]
    standing = stands(desk, scope, entities.entity_id(scope.id, "user"))
    assert (standing.kind, standing.base, standing.access_count) == ("entity", 1.0, 0)


def test_a_fact_that_is_returned_to_somebody_keeps_who_it_is_about_in_mind(desk: Desk, scope: Scope) -> None:
    tell(desk, scope, "I live in Oslo")
    fact = desk.value("SELECT fact FROM facts")
    later(desk, days=60)
    run(desk, DECAY)
    faded = entity_row(desk, scope, "user")["faded"]

    with desk.parts.database.tenant(scope.tenant) as connection:
        entities.touch(connection, entities.about(connection, [(scope.id, fact)]))

    standing = stands(desk, scope, entities.entity_id(scope.id, "user"))
    assert faded is not None
    assert entity_row(desk, scope, "user")["faded"] is None
    assert standing.access_count == 1
    assert desk.parts.lifecycle.policies.of("default").decay.strength(standing, now(desk)) == 1.0


def test_an_entity_rests_when_it_has_faded_lain_idle_and_no_fact_is_about_it(desk: Desk, scope: Scope) -> None:
    tell(desk, scope, "I live in Oslo")
    later(desk, days=100)
    assert run(desk, ARCHIVE)["archived"] == 1
    assert tombstoned(desk) == set(), "a fact is about the user"

    withdraw(desk, scope)
    assert run(desk, ARCHIVE)["tombstoned"] == 1
    assert tombstoned(desk) == {"user"}

    tell(desk, scope, "I like figs", session="s2")
    assert tombstoned(desk) == set()
    row = entity_row(desk, scope, "user")
    assert (row["faded"], row["due"]) == (None, None)


def test_an_entity_is_looked_at_when_it_may_rest_and_not_every_night(desk: Desk, scope: Scope) -> None:
    tell(desk, scope, "I live in Oslo")
    withdraw(desk, scope)
    began = stands(desk, scope, entities.entity_id(scope.id, "user")).used

    assert run(desk, ARCHIVE) == {"episodes": 0}
    assert run(desk, ARCHIVE) == {}, "it is not asked for before it can rest"
    due = entity_row(desk, scope, "user")["due"]
    assert due is not None
    assert due - began < timedelta(days=30, minutes=1), "no later, for the policy may have changed"

    later(desk, days=31)
    assert run(desk, ARCHIVE) == {"episodes": 0}
    due = entity_row(desk, scope, "user")["due"]
    assert due is not None
    assert timedelta(days=44) < due - began < timedelta(days=46), "0.95 a day crosses 0.1 after 44.9 days"

    later(desk, days=15)
    assert run(desk, ARCHIVE)["tombstoned"] == 1


def test_the_fact_that_ends_last_has_its_entity_looked_at(desk: Desk, scope: Scope) -> None:
    tell(desk, scope, "I live in Oslo", "I like figs")

    withdraw(desk, scope, "Oslo")
    run(desk, ARCHIVE)
    assert entity_row(desk, scope, "user")["due"] is None, "there is another"

    withdraw(desk, scope, "figs")
    assert entity_row(desk, scope, "user")["due"] is not None


# facts


def test_a_fact_is_dropped_when_what_is_kept_of_its_kind_is_older_than_that(
    desk: Desk, scope: Scope, keep: Keep
) -> None:
    keep(drop_after={"semantic": 200 * DAY})
    tell(desk, scope, "I live in Oslo", "I like figs")
    later(desk, days=150)
    used = desk.value("SELECT fact FROM facts WHERE object = 'figs'")
    changed(desk, used, last_access=now(desk))
    later(desk, days=49)
    assert run(desk, ARCHIVE).get("dropped") is None
    later(desk, days=2)

    assert run(desk, ARCHIVE)["dropped"] == 1

    assert believed(desk, scope) == {"figs"}
    (dropped,) = desk.rows("SELECT kind, mode, rule, pack FROM deltas WHERE kind = 'delete'")
    assert dropped == ("delete", "withdraw", "archive/default", "_archive")
    assert desk.rows("SELECT key FROM delta_sources JOIN deltas ON id = delta WHERE kind = 'delete'") == [
        ("s1/I live in Oslo",)
    ], "it cites the fact's own source"
    with desk.parts.database.tenant(scope.tenant):
        folded, table = rebuilt(desk.parts, scope)
    assert folded == table

    tell(desk, scope, "I live in Oslo", session="again")
    assert {"Oslo", "figs"} <= believed(desk, scope), "it may be learned again"


def test_the_kinds_a_policy_does_not_name_are_kept_for_ever(desk: Desk, scope: Scope, keep: Keep) -> None:
    keep(drop_after={"procedural": DAY})
    tell(desk, scope, "I live in Oslo")
    later(desk, days=3650)

    run(desk, ARCHIVE)

    assert believed(desk, scope) == {"Oslo"}


def test_a_pinned_fact_is_never_dropped(desk: Desk, scope: Scope, keep: Keep) -> None:
    keep(drop_after={"semantic": DAY})
    tell(desk, scope, "I live in Oslo")
    changed(desk, desk.value("SELECT fact FROM facts"), pinned=True)
    later(desk, days=3650)

    run(desk, ARCHIVE)

    assert believed(desk, scope) == {"Oslo"}


def test_a_scope_somebody_works_in_is_left_for_the_next_night(desk: Desk, scope: Scope, keep: Keep) -> None:
    keep(drop_after={"semantic": DAY})
    tell(desk, scope, "I live in Oslo")
    later(desk, days=2)
    desk.told(scope, 1)
    busy = desk.claimed("ann", scope=scope)

    assert run(desk, ARCHIVE) == {"episodes": 0, "left": 1}
    desk.settle(busy)

    assert run(desk, ARCHIVE)["dropped"] == 1


def test_promotion_never_shortens_retention(desk: Desk, scope: Scope, keep: Keep) -> None:
    keep(drop_after={"semantic": 100 * DAY})
    tell(desk, scope, "I live in Oslo")
    fact = desk.value("SELECT fact FROM facts")
    later(desk, days=60)
    for tier in ("hot", "warm", "cold"):
        changed(desk, fact, tier=tier, moved=now(desk))
    changed(desk, fact, reinforced=now(desk))
    later(desk, days=99)

    run(desk, ARCHIVE)

    assert believed(desk, scope) == {"Oslo"}


# episodes


def summarised(desk: Desk, scope: Scope) -> None:
    """Have the sessions of *scope* summarised."""
    desk.rows("UPDATE intents SET due = slowwave_now(), hastened = true WHERE scope = %s", scope.id)
    desk.drain()


def test_archived_episodes_are_given_up_when_their_time_has_passed_and_no_open_fact_cites_them(
    desk: Desk, scope: Scope, keep: Keep
) -> None:
    keep(drop_after={"episodic": 200 * DAY})
    tell(desk, scope, "I live in Oslo", session="cited")
    tell(desk, scope, "The harbour is quiet", session="free")
    later(desk, days=199)
    run(desk, ARCHIVE)
    assert (archived(desk), expired(desk)) == ({"cited", "free"}, set())
    later(desk, days=2)

    run(desk, ARCHIVE)
    assert expired(desk) == {"free"}
    assert "The harbour is quiet" not in recalled(desk, scope, "harbour", archived=True)
    assert "I live in Oslo" in recalled(desk, scope, "Oslo", archived=True)

    withdraw(desk, scope)
    assert run(desk, ARCHIVE)["expired"] == 1
    assert expired(desk) == {"cited", "free"}
    assert run(desk, ARCHIVE).get("expired") is None


def test_what_was_given_up_does_not_come_back_with_a_new_episode(desk: Desk, scope: Scope, keep: Keep) -> None:
    keep(drop_after={"episodic": 100 * DAY})
    tell(desk, scope, "The cello needs new strings")
    summarised(desk, scope)
    later(desk, days=101)
    run(desk, ARCHIVE)
    assert expired(desk) == {"s1"}
    with pytest.raises(NotFound):
        MemoryScope(desk.parts, scope).restore("s1")

    tell(desk, scope, "The cello is mended")
    summarised(desk, scope)

    said = recalled(desk, scope, "cello", archived=True)
    assert "The cello is mended" in said
    assert not [text for text in said if "strings" in text]
    assert (archived(desk), expired(desk)) == (set(), set())


def test_the_summary_of_a_conversation_is_kept_as_long_as_the_conversation(
    desk: Desk, scope: Scope, keep: Keep
) -> None:
    keep(drop_after={"episodic": 100 * DAY})
    for number in range(8):
        tell(desk, scope, f"The cello number {number} needs new strings from Cremona")
    summaries = "SELECT count(*) FROM facts WHERE predicate = 'summary' AND upper_inf(recorded)"
    summarised(desk, scope)
    assert desk.value(summaries) == 1
    assert desk.rows("SELECT name FROM entities WHERE name LIKE 'session/%%'") == []

    later(desk, days=99)
    run(desk, ARCHIVE)
    assert desk.value(summaries) == 1, "it outlives the archiving"
    later(desk, days=2)
    run(desk, ARCHIVE)

    assert (desk.value(summaries), expired(desk)) == (0, {"s1"})
