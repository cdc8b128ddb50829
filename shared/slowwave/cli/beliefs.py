"""`slowwave facts`, `why`, `review` and `strategies`: the facts about a user, their explanations, the decisions of a
person, and what agents learned.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from shlex import quote
from typing import get_args

import click

from slowwave import memory
from slowwave.cli.options import ScopeOptions, in_tenant, json_option, opened, scope_options, tenant_option
from slowwave.cli.options.choices import Instant, Listing, by_option
from slowwave.cli.printing import (
    add_by_scope,
    cell,
    console,
    day,
    keys_or_session,
    one_line,
    owner_text,
    print_json,
    quoted_words,
    short,
    table,
    utc,
)
from slowwave.domain.claim import Form
from slowwave.domain.dead_letter import Verdict
from slowwave.domain.episode import StoredEpisode
from slowwave.domain.explanation import explanation_text
from slowwave.domain.fact import Fact
from slowwave.domain.limits import MOST_RESULTS
from slowwave.domain.pattern import Strategy
from slowwave.domain.queries.unread import UnreadTurns
from slowwave.errors import NotFound
from slowwave.formatting import counted, language, listed
from slowwave.wiring import Parts


@click.command
@scope_options(user_required=False)
@click.option("--task", metavar="WORDS", help="Only strategies for this task, best first.")
@json_option
def strategies_command(options: ScopeOptions, task: str | None, as_json: bool) -> None:
    """List the strategies that agents tried, with the number of successes and the confidence of each strategy.

    With --agent, the list covers the named channel of the agent and the agent's channel _global. Without --agent, it
    covers all agents.
    """
    with opened(options.tenant) as parts:
        found = [scope.strategies for scope in options.scopes(parts)]
        known = [one for own in found for one in (own.find_strategies(task) if task is not None else own.all())]
    if as_json:
        return print_json([{"scope": one.scope, "strategy": replace(one, embedding=None)} for one in known])
    if not known:
        return click.echo(
            "no strategies here yet: they are learned from episodes of kind tool_call and outcome,\n"
            "`slowwave schedule run-now detect_patterns` learns them now"
        )
    _show_strategies(known)


def _show_strategies(known: list[Strategy]) -> None:
    made = table(
        "task", "by", "worked", "failed", "at least", "standing", "last", "id", right=["worked", "failed", "at least"]
    )
    add_by_scope(made, ((one.scope, [
        cell(f"  {one.task or 'any'}"), cell(" → ".join(one.tool_sequence)), str(one.success_count),
        str(one.failure_count), f"{one.bound:.0%}", one.standing, day(one.last_used), short(one.id),
    ]) for one in known))  # fmt: skip
    console().print(made)


MOST_NAMES = 8
"""The maximum number of users that are named when the wanted user has no memory."""
_RUN_NOW = "`slowwave schedule run-now` makes it due now, for a running worker or `slowwave work --until-idle`"
_by = by_option("The person who decides.")
_replaces = click.option(
    "--replaces",
    metavar="FACT",
    help="The fact to replace, if several could be replaced: its id, or the beginning of the id.",
)


@click.command
@scope_options(user_required=False)
@click.option("--as-of", type=Instant(), help="Facts that were true at this time, like 2026-03-02.")
@click.option("--known-at", type=Instant(), help="Facts as Slowwave believed them at this time.")
@click.option("--all", "everything", is_flag=True, help="Include facts that were or will be true at other times.")
@click.option("--form", type=click.Choice(get_args(Form)), help="Only typed facts, or only statements.")
@click.option("--limit", type=click.IntRange(1, MOST_RESULTS), help="Maximum facts per page, sorted by subject.")
@click.option("--after", metavar="ID", help="Continue after this fact: the id of the last fact shown.")
@json_option
def facts_command(
    options: ScopeOptions, as_of: datetime | None,
    known_at: datetime | None, everything: bool, form: Form | None, limit: int | None, after: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    """List the facts believed about one user or all users, now or at another time: typed facts first, then statements.

    With --agent, the list covers the named channel of the agent and the agent's channel _global. Without --agent, it
    covers all agents. To read a long list page by page, use `--limit 100`; for each further page, add `--after` with
    the id of the last fact.
    """
    with opened(options.tenant) as parts:
        scopes = options.reach(parts)
        read = partial(parts.records.facts, as_of=as_of, known_at=known_at, everything=everything, form=form)
        if limit is None and after is None:
            active = [fact for scope in scopes for fact in sorted(read(scope), key=lambda fact: fact.form != "typed")]
        else:
            after_id = None if after is None else _fact_id(parts, after)
            active = read(scopes[0], among=scopes[1:], after=after_id, most=limit) if scopes else []
        left = parts.records.strengths(parts.settings.tenant, active)
        languages = {} if as_json else parts.records.unread_languages(scopes)
        unread = _with_advice(parts, languages) if languages else UnreadTurns()
        reason = "" if active or as_json or unread.languages else _why_none(parts, options, as_of or known_at or form)
    if as_json:
        return print_json(
            [{"scope": one.scope, "fact": one, "text": one.text, "strength": left[one.id]} for one in active]
        )
    if active:
        _show(active, left)
    elif after is not None:
        click.echo("there are no facts after it")
    else:
        click.echo(f"no facts here{reason}")
    if active and len(active) == limit:
        click.echo(f"there may be more: --after {short(active[-1].id)}")
    if unread.languages:
        command = f"slowwave unread --user {quote(options.user or 'NAME')}"
        click.echo(" ".join(filter(None, (unread.sentence, unread.remedy, f"`{command}` lists these turns."))))


def _why_none(parts: Parts, options: ScopeOptions, narrowed: object) -> str:
    """Return why there are no facts; *narrowed* is true if the command asks for some time or form only."""
    tenant = parts.settings.tenant
    scopes = parts.records.scopes(tenant, user=options.user, agent=options.agent)
    if not scopes:
        users = list(dict.fromkeys(scope.user for scope in parts.records.scopes(tenant)))
        asked = [f"the {part} {name!r}" for part, name in (("user", options.user), ("agent", options.agent)) if name]
        whose = f" for {listed(asked)}" if asked else ""
        others = (
            f"the users here are {listed(users)}" if len(users) <= MOST_NAMES else "`slowwave scope` lists the users"
        )
        hint = others if users else "`slowwave push` stores episodes"
        return f": nothing was ever pushed{whose} in the tenant {tenant!r}, or it was forgotten; {hint}"
    waiting, due = parts.records.waiting_episodes(scopes)
    if waiting:
        when = f"due at {utc(due)}" if due else "pending"
        return f" yet: the consolidation of {counted(waiting, 'episodes')} is {when};\n{_RUN_NOW}"
    if narrowed:
        return " of this form or for these times"
    return ": every episode has been read, and no rule found a fact; `slowwave recall` still finds the episodes"


def _fact_id(parts: Parts, name: str) -> uuid.UUID:
    from slowwave.memory.queries.lookup import fact_id  # this loads what recall needs

    return fact_id(parts, name, parts.settings.tenant)


def _with_advice(parts: Parts, languages: Mapping[str, int]) -> UnreadTurns:
    from slowwave.memory.queries.unread import with_advice  # this loads the packs

    return with_advice(parts, languages)


def _show(facts: Sequence[Fact], left: Mapping[uuid.UUID, float]) -> None:
    ends = any(fact.valid_to for fact in facts)
    fades = any(abs(fact.confidence - left[fact.id]) >= 0.005 for fact in facts)
    made = table(
        "what is believed", "confidence", *["strength"] * fades, "since", *["until"] * ends, "said in", "id",
        right=["confidence", "strength"],
    )  # fmt: skip
    add_by_scope(made, ((fact.scope, [
        cell(f"  {fact.text}"), f"{fact.confidence:.2f}", *[f"{left[fact.id]:.2f}"] * fades,
        day(fact.valid_from), *[day(fact.valid_to)] * ends, cell(keys_or_session(fact)), short(fact.id),
    ]) for fact in facts))  # fmt: skip
    console().print(made)


@click.command
@click.argument("fact")
@in_tenant
@json_option
def why_command(fact: str, parts: Parts, as_json: bool) -> None:
    """Explain why FACT is or was believed. FACT is an id from `slowwave facts`, or the beginning of the id.

    FACT may also be the id of an episode. Then the command prints whether an active rule pack reads the language of the
    episode.
    """
    try:
        explanation = memory.Memory(parts).why(parts.records.fact(parts.settings.tenant, fact))
    except NotFound:
        episode = parts.records.episode(parts.settings.tenant, fact)
        if episode is None:
            raise
        return _tell_episode(episode, parts.unread.language(episode.content), as_json)
    if as_json:
        return print_json(explanation)
    click.echo(explanation_text(explanation, heading=lambda text: click.style(text, bold=True), mark=quoted_words))


def _tell_episode(episode: StoredEpisode, unread: str | None, as_json: bool) -> None:
    """Print whether any pack reads the language of an episode."""
    if as_json:
        return print_json({"episode": episode.id, "content": episode.content, "unread_language": unread})
    click.echo(f"{click.style(one_line(episode.content), bold=True)}  (episode; {episode.id})")
    click.echo(
        f"    {language(unread)}, which no active pack reads: no facts are learned from it, but recall finds it"
        if unread
        else "    an episode is not a fact: `slowwave facts` lists the facts, `slowwave why` their sources"
    )


@click.group(cls=Listing)
def review_command() -> None:
    """Accept, reject or edit claims that need a person's decision. Without a subcommand, list these claims."""


@review_command.command("list")
@in_tenant
@json_option
def list_(parts: Parts, as_json: bool) -> None:
    """List the claims that wait for a decision, oldest first."""
    found = memory.Memory(parts).review()
    if as_json:
        return print_json(found)
    if not found:
        return click.echo("no claim waits for a decision")
    for one in found:
        owner = one_line(owner_text(one.scope))
        click.echo(f"review {one.number}, since {utc(one.created)}, of {owner}: {one_line(one.claims)}")
        click.echo(f"  why: {one_line(one.reason)}\n  content: {one_line(one.content)}")
        for fact, text in zip(one.among, one.beliefs, strict=True):
            click.echo(f"  in place of: {one_line(text)} ({short(fact)})")


@review_command.command
@click.argument("number", type=int)
@_by
@_replaces
@tenant_option
def accept(number: int, by: str, replaces: str | None, tenant: str | None) -> None:
    """Accept the claim of review NUMBER as a fact."""
    _decide(number, "accept", by, tenant, replaces=replaces)


@review_command.command
@click.argument("number", type=int)
@_by
@tenant_option
def reject(number: int, by: str, tenant: str | None) -> None:
    """Reject the claim of review NUMBER, and keep the current facts."""
    _decide(number, "reject", by, tenant)


@review_command.command
@click.argument("number", type=int)
@click.argument("object")
@_by
@_replaces
@tenant_option
def edit(number: int, object: str, by: str, replaces: str | None, tenant: str | None) -> None:
    """Accept the claim of review NUMBER, but with another OBJECT."""
    _decide(number, "edit", by, tenant, object=object, replaces=replaces)


def _decide(
    number: int, verdict: Verdict, by: str, tenant: str | None, *, object: str | None = None,
    replaces: str | None = None,
) -> None:  # fmt: skip
    with opened(tenant) as parts:
        delta = memory.Memory(parts).decide(number, verdict, by=by, object=object, replaces=replaces)
    click.echo(f"{number} is decided: delta {delta}")
