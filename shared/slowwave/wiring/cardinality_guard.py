"""The refusal to change the number of values of a predicate that has facts: past decisions depend on that number."""

from collections.abc import Iterable, Mapping, Sequence

from slowwave.core.predicates.cardinality import Recast, recasts
from slowwave.errors import Incorrect
from slowwave.formatting.quantities import counted
from slowwave.rules import Pack
from slowwave.rules.model_packs.pack import ReaderPack
from slowwave.rules.predicates import PREDICATES, Declared, holdings, places_of
from slowwave.rules.problems import refusal
from slowwave.store.database import Database
from slowwave.store.packs import predicates, registry

Places = Mapping[str, Sequence[Declared]]


def places_of_packs(packs: Iterable[object]) -> Places:
    """Return the declarations of predicates by place: each pack that declares any, and the shared file."""
    return places_of({pack.pack: pack.declared for pack in packs if isinstance(pack, Pack | ReaderPack)})


def refused_changes(database: Database, places: Places) -> dict[str, Incorrect]:
    """Return the error for each of *places* that changes the number of values of a predicate in use.

    The error names the predicate, the tenants, and how many facts they hold of it. A predicate without facts may change
    freely. A predicate that was never registered counts as multi-valued.
    """
    now = holdings(places)
    with database.dispatch() as connection:
        before = predicates.in_force(connection)
        tenants = registry.tenants(connection)
    problems: dict[str, list[str]] = {}
    if before and recasts(before, now, {*before, *now}, places):
        for tenant in tenants:
            with database.tenant(tenant) as connection:
                wanted = {
                    one.predicate: one for one in recasts(before, now, predicates.held(connection, tenant), places)
                }
                single = {name: one.single_valued for name, one in wanted.items()}
                facts = predicates.held_otherwise(connection, tenant, single) if single else {}
            for name, count in facts.items():
                problems.setdefault(wanted[name].wanted_by, []).append(_change_in_words(wanted[name], tenant, count))
    return {place: _refusal(place, said) for place, said in problems.items()}


def refuse_changes(database: Database, packs: Iterable[object]) -> None:
    """Raise `Incorrect` for the first of *packs*, or of the shared predicates, in `refused_changes`."""
    for error in refused_changes(database, places_of_packs(packs)).values():
        raise error


def _change_in_words(recast: Recast, tenant: str, facts: int) -> str:
    here, there = ("true", "false") if recast.single_valued else ("false", "true")
    text = f"tenant {tenant!r} holds {counted(facts, 'facts')} of it"
    return f"predicates.{recast.predicate}.single_valued: is {here} here and {there} in force, and {text}"


def _refusal(place: str, problems: Sequence[str]) -> Incorrect:
    subject = "the shared predicates" if place == PREDICATES else f"rule pack {place!r}"
    hint = "give the predicate another name, or retire its facts first, each with a delta of kind delete"
    return refusal(subject, problems, hint=hint)
