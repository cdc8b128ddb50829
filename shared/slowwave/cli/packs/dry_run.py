"""`slowwave rules dry-run` and `backtest`: what a pack would change, and the price of its model calls."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import IO

import click

from slowwave.cli.options import ScopeOptions, in_tenant, json_option, opened, scope_options
from slowwave.cli.options.choices import examples_option
from slowwave.cli.packs.pack_argument import for_model, named
from slowwave.cli.printing import in_a_line, owner_text, print_json, utc
from slowwave.cli.push import good_lines
from slowwave.core.dry_run import Belief, Difference
from slowwave.domain.episode import Episode, StoredEpisode
from slowwave.domain.model_calls import Chunk
from slowwave.domain.scope import GLOBAL_CHANNEL, Scope
from slowwave.errors import Incorrect
from slowwave.formatting import counted
from slowwave.jobs.dry_run import DryRun
from slowwave.memory.dry_runs import StoredReplies, Tryout, against_installed, over_file, over_scope
from slowwave.memory.undoing.comparing import Sums
from slowwave.rules.model_packs.pack import ReaderPack
from slowwave.runtime import clock
from slowwave.wiring import Parts, Settings

_MOST_OTHERS = 5
"""The maximum number of other scopes that a dry run of an empty scope suggests."""


@dataclass(frozen=True, slots=True)
class Price:
    """The requests, tokens and money for *episodes*, with the cost of prompts and the maximum cost of replies.

    *at_hand* is the number of stored replies, which cost nothing, or None if the database was not asked. *money* is in
    the currency of the configured prices. *priced* is False if no prices are set.
    """

    episodes: int
    at_hand: int | None
    requests: int
    prompt_tokens: int
    reply_tokens: int
    money: float
    priced: bool


def price_of(chunks: Iterable[Chunk], settings: Settings, *, episodes: int, at_hand: int | None = None) -> Price:
    """Return the maximum cost of requests about *chunks*.

    *at_hand* is the number of stored replies, which cost nothing.
    """
    each = list(chunks)
    asked, replied = sum(one.prompt_tokens for one in each), sum(one.most_tokens for one in each)
    return price_of_tokens(len(each), asked, replied, settings, episodes=episodes, at_hand=at_hand)


def price_of_tokens(
    requests: int, asked: int, replied: int, settings: Settings, *, episodes: int, at_hand: int | None = None
) -> Price:
    """Return the maximum cost of *requests* with *asked* tokens of prompts and at most *replied* tokens of replies."""
    prompt, reply = settings.model_prompt_price, settings.model_reply_price
    money = (asked * prompt + replied * reply) / 1_000_000
    return Price(episodes, at_hand, requests, asked, replied, money, bool(prompt or reply))


def chunks_of(pack: ReaderPack, episodes: Sequence[StoredEpisode], *, window: int) -> list[Chunk]:
    """Return the requests of *pack* for episodes from a file."""
    starts = range(0, len(episodes), window)
    return [chunk for start in starts for chunk in pack.plan(episodes[start : start + window], (), (), ())]


@click.command("dry-run")
@click.argument("pack")
@click.argument("file", type=click.File("rb"), required=False)
@scope_options(user_required=False, writes=True)
@examples_option
@json_option
def dry_run(pack: str, file: IO[bytes] | None, options: ScopeOptions, examples: int, as_json: bool) -> None:
    """Show what PACK would learn from FILE, or in a stored scope.

    The command writes nothing. PACK is the name or the folder of a pack. FILE has one episode per line, as for
    `slowwave push`. If FILE is `-`, the command reads standard input. With --user, PACK reads all stored episodes of
    the scope again, and the command compares the result with the current facts. The command never calls a model. If
    PACK needs a model, the command prints the estimated cost; with --user, it also uses stored replies.
    """
    settings = Settings.load(**({} if options.tenant is None else {"tenant": options.tenant}))
    tried = named(pack, settings.rules)
    scope = Scope(
        settings.tenant, options.user or "somebody", options.agent or "default", options.channel or GLOBAL_CHANNEL
    )
    if file is not None and options.user is not None:
        raise Incorrect(
            "the pack can read a FILE or a user's stored episodes, not both", hint="leave out FILE or --user"
        )
    if file is not None:
        episodes = _numbered(good_lines(file, scope))
        if isinstance(tried, ReaderPack):
            chunks = chunks_of(tried, episodes, window=settings.window)
            return _print_trials(price_of(chunks, settings, episodes=len(episodes)), None, examples, as_json)
        return _print_trials(None, over_file(tried, episodes, window=settings.window), examples, as_json)
    if options.user is None:
        raise Incorrect("the command names no episodes to read", hint="name a FILE, or a scope with --user")
    with opened(options.tenant) as parts:
        tryout = over_scope(parts, for_model(tried, parts), scope)
        _print_tryout(tryout, parts.settings, examples, as_json)
        if not tryout.trial.episodes and not as_json:
            click.echo(_where_episodes_are(parts, scope), err=True)


def _where_episodes_are(parts: Parts, scope: Scope) -> str:
    """Return advice for an empty *scope*: the agents and channels in which its user has episodes."""
    others = [one for one in parts.records.scopes(scope.tenant, user=scope.user) if one != scope]
    if not others:
        return f"no episodes of {scope.user} are stored; `slowwave scope` lists all users"
    names = ", ".join(f"--agent {one.agent} --channel {one.channel}" for one in others[:_MOST_OTHERS])
    return f"{owner_text(scope)} has no episodes; try {names}"


@click.command
@click.argument("pack")
@click.option("--against", type=click.Choice(["installed"]), default="installed", help="The packs to compare with.")
@click.option(
    "--scopes",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Maximum number of scopes, largest first.",
)
@examples_option
@in_tenant
@json_option
def backtest(pack: str, against: str, scopes: int, examples: int, parts: Parts, as_json: bool) -> None:  # noqa: ARG001  # one choice so far
    """Compare the facts of stored scopes with the facts that PACK would make.

    The command writes nothing. PACK is the name or the folder of a pack. The installed packs read all episodes. Then
    they read all episodes again, with PACK in place of the installed pack of the same name. The command never calls a
    model. If PACK needs a model, the command prints the estimated cost, and uses stored replies.
    """
    tried = for_model(named(pack, parts.settings.rules), parts)
    _print_tryout(against_installed(parts, tried, scopes=scopes), parts.settings, examples, as_json)


def _numbered(lines: Iterable[tuple[Scope, Episode]]) -> list[StoredEpisode]:
    """Return the episodes as a scope would store them. An episode without a time gets the present time."""
    now = clock.now()
    return [
        StoredEpisode(
            id=scope.episode_id(episode.key),
            key=episode.key,
            position=number,
            received=now,
            occurred=episode.occurred_at or now,
            session=episode.session,
            role=episode.role,
            kind=episode.kind,
            content=episode.content,
            metadata=episode.metadata,
            utc_offset=episode.utc_offset,
        )
        for number, (scope, episode) in enumerate(lines, 1)
    ]


def _print_tryout(tryout: Tryout, settings: Settings, examples: int, as_json: bool) -> None:
    price = price_of_unasked(tryout.asked, settings, episodes=tryout.trial.episodes)
    _print_trials(price, tryout.trial, examples, as_json)


def price_of_unasked(asked: Sequence[StoredReplies], settings: Settings, *, episodes: int) -> Price | None:
    """Return the price of the requests without a stored reply; None if no model is needed."""
    unasked = [chunk for one in asked for chunk in one.unasked]
    replies = sum(one.replies for one in asked)
    return price_of(unasked, settings, episodes=episodes, at_hand=replies) if asked else None


def _print_trials(price: Price | None, trial: DryRun | None, examples: int, as_json: bool) -> None:
    if as_json:
        return print_json(trial if price is None else {**asdict(price), "trial": trial})
    if price is not None:
        print_price(price)
    if trial is not None:
        _print_trial(trial, examples)


def _print_trial(trial: DryRun, examples: int) -> None:
    made = ", ".join(f"{count} {kind}" for kind, count in trial.decisions.items())
    click.echo(
        f"{counted(trial.episodes, 'episodes')} of {counted(trial.scopes, 'scopes')}: "
        f"{counted(trial.claims, 'claims')}{f' ({made})' if made else ''}"
    )
    print_difference(trial.difference, examples)
    click.echo("nothing was written")


def print_difference(difference: Difference, examples: int) -> None:
    """Print the gained, lost and changed beliefs: the counts, and at most *examples* of each."""
    _list("would be believed", "+", difference.gained, examples)
    _list("would be lost", "-", difference.lost, examples)
    click.echo(f"would change: {len(difference.changed)}")
    for old, new in difference.changed[:examples]:
        click.echo(f"  ~ {_belief_text(old)}\n    {_belief_text(new)}")
    click.echo(f"the same: {difference.same}")


def _list(title: str, mark: str, beliefs: Sequence[Belief], examples: int) -> None:
    click.echo(f"{title}: {len(beliefs)}")
    for belief in beliefs[:examples]:
        click.echo(f"  {mark} {_belief_text(belief)}")


def print_sums(sums: Sums) -> None:
    """Print the sums of a comparison in many scopes, and its examples, each with its scope."""
    for title, mark, count, examples in (
        ("would be believed", "+", sums.gained, sums.examples_gained),
        ("would be lost", "-", sums.lost, sums.examples_lost),
    ):
        click.echo(f"{title}: {count}")
        for scope, belief in examples:
            click.echo(f"  {mark} {in_a_line(owner_text(scope))}: {_belief_text(belief)}")
    click.echo(f"would change: {sums.changed}")
    for scope, old, new in sums.examples_changed:
        click.echo(f"  ~ {in_a_line(owner_text(scope))}: {_belief_text(old)}\n    {_belief_text(new)}")
    click.echo(f"the same: {sums.same}")


def _belief_text(belief: Belief) -> str:
    quotes = "; ".join(f'{quote.key}: "{quote.words}"' for quote in belief.quotes)
    text = f"{belief.text}, since {utc(belief.since)}, by {belief.rule}"
    return in_a_line(f"{text}, {quotes}" if quotes else text)


def print_price(price: Price, *, called: bool = False) -> None:
    """Print the cost of requests to a model, the number of stored replies, and that no model was *called*."""
    print_cost(price)
    click.echo(
        "no model was called; stored replies are only looked up for a stored scope (--user)"
        if price.at_hand is None
        else f"stored and free: {counted(price.at_hand, 'replies')}{'' if called else '; no model was called'}"
    )


def print_cost(price: Price) -> None:
    """Print the cost of requests to a model."""
    click.echo(
        f"{counted(price.episodes, 'episodes')}: {counted(price.requests, 'requests')} to the model, "
        f"{price.prompt_tokens} tokens to ask and at most {price.reply_tokens} in reply"
    )
    click.echo(
        f"at most {price.money:.2f} at the configured prices"
        if price.priced
        else "set SLOWWAVE_MODEL_PROMPT_PRICE and SLOWWAVE_MODEL_REPLY_PRICE to see the cost in money"
    )
