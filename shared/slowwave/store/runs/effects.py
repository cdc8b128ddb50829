"""Effects of a settled run, by kind: each kind is registered beside the code of its table."""

from functools import singledispatch

from sqlalchemy import Connection

from slowwave.domain.queries.unread import ReadIn
from slowwave.domain.run import Run
from slowwave.errors import Fault
from slowwave.ports import IntentRequest, Settled
from slowwave.store.dead_letters import dead_letters
from slowwave.store.direct import send
from slowwave.store.queries import unread_turns
from slowwave.store.statements import sql


@singledispatch
def write(effect: object, _connection: Connection, run: Run) -> None:
    """Write *effect* of *run* in its transaction. Raises `Fault` for an unregistered kind."""
    raise Fault(f"no store knows the effect {type(effect).__name__} of {run.job}", hint="please report this")


@write.register
def _ask(effect: IntentRequest, connection: Connection, run: Run) -> None:
    send(
        connection,
        sql("runs/ask"),
        {
            "scope": run.scope,
            "tenant": run.tenant,
            "job": effect.job,
            "pack": effect.pack,
            "target": run.hi,
            "at_once": effect.at_once,
        },
    )


@write.register
def _settled(effect: Settled, connection: Connection, run: Run) -> None:
    dead_letters.settle(connection, run.scope, effect.reviews)


@write.register
def _read_in(effect: ReadIn, connection: Connection, run: Run) -> None:
    unread_turns.keep(connection, run, effect)
