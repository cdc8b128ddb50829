"""A run loads everything its claims may touch: what was told windows ago counts as if it were told just now."""

from collections.abc import Callable

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.memory import due_work
from slowwave.store.inbox.inbox import PostgresInbox

LONG_AGO = ["The weather is fine"] * 8
LIKES = "SELECT object FROM facts WHERE predicate = 'likes' AND upper_inf(recorded) ORDER BY object"
Told = Callable[..., list[Episode]]


def tastes(parts: wiring.Parts, scope: Scope, *windows: list[Episode]) -> list[str]:
    """Return what the user likes after each window was consolidated on its own."""
    inbox = PostgresInbox(parts.database)
    for window in windows:
        inbox.store([(scope, episode) for episode in window])
        with parts.database.tenant(scope.tenant) as connection:
            connection.exec_driver_sql("UPDATE intents SET due = slowwave_now()")
        while due_work.run_next(parts, owner="test", scope=scope.id) is not None:
            pass
    with parts.database.tenant(scope.tenant) as connection:
        return list(connection.exec_driver_sql(LIKES).scalars())


def test_i_meant_an_old_fact_in_one_window_keeps_that_fact(parts: wiring.Parts, scope: Scope, told: Told) -> None:
    assert tastes(parts, scope, told("I like tea", *LONG_AGO, "I like coffee", "No, I meant tea")) == ["tea"]


def test_i_meant_an_old_fact_in_the_next_window_keeps_that_fact(parts: wiring.Parts, scope: Scope, told: Told) -> None:
    before = told("I like tea", *LONG_AGO, "I like coffee")

    assert tastes(parts, scope, before, told("No, I meant tea", start=10)) == ["tea"]


def test_i_meant_a_forgotten_fact_in_one_window_changes_nothing(parts: wiring.Parts, scope: Scope, told: Told) -> None:
    said = told("I like tea", "Forget that I like tea", *LONG_AGO, "I like coffee", "No, I meant tea")

    assert tastes(parts, scope, said) == ["coffee"]


def test_i_meant_a_forgotten_fact_in_the_next_window_changes_nothing(
    parts: wiring.Parts, scope: Scope, told: Told
) -> None:
    before = told("I like tea", "Forget that I like tea", *LONG_AGO, "I like coffee")

    assert tastes(parts, scope, before, told("No, I meant tea", start=11)) == ["coffee"]
