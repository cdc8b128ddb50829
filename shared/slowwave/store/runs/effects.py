"""Effects of a settled run, by kind: each kind is registered beside the code of its table."""

from collections.abc import Iterable, Mapping
from functools import singledispatch

from sqlalchemy import Connection

from slowwave.domain.reading.unread import ReadIn
from slowwave.domain.run import Run
from slowwave.errors import Fault
from slowwave.ports import Ask, Settled
from slowwave.store.dead_letters import dead_letters
from slowwave.store.reading import unread
from slowwave.store.statements import sql


@singledispatch
def write(effect: object, _connection: Connection, run: Run) -> None:
    """Write *effect* of *run* in its transaction. Raises `Fault` for an unregistered kind."""
    raise Fault(f"no store knows the effect {type(effect).__name__} of {run.job}", hint="please report this")


def write_all(effects: Iterable[object], connection: Connection, run: Run) -> None:
    """Write the *effects* of *run*; other jobs are requested last, in one statement."""
    asked: dict[tuple[str, str], bool] = {}
    for effect in effects:
        if isinstance(effect, Ask):
            job = effect.job, effect.pack
            asked[job] = asked.get(job, False) or effect.at_once
        else:
            write(effect, connection, run)
    if asked:
        _request(asked, connection, run)


@write.register
def _ask(effect: Ask, connection: Connection, run: Run) -> None:
    _request({(effect.job, effect.pack): effect.at_once}, connection, run)


def _request(asked: Mapping[tuple[str, str], bool], connection: Connection, run: Run) -> None:
    """Request jobs, named with their packs, each at once or when it is due."""
    connection.exec_driver_sql(
        sql("runs/ask"),
        {
            "scope": run.scope,
            "tenant": run.tenant,
            "jobs": [job for job, _ in asked],
            "packs": [pack for _, pack in asked],
            "target": run.hi,
            "at_once": list(asked.values()),
        },
    )


@write.register
def _settled(effect: Settled, connection: Connection, run: Run) -> None:
    dead_letters.settle(connection, run.scope, effect.reviews)


@write.register
def _read_in(effect: ReadIn, connection: Connection, run: Run) -> None:
    unread.keep(connection, run, effect)
