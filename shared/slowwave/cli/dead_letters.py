"""`slowwave dead-letters`: episodes and messages that could not be processed, to retry or drop."""

import click

from slowwave import wiring
from slowwave.cli.options import Listing, json_option, opened, tenant_option
from slowwave.cli.printing import cell, console, in_a_line, one_line, print_json, table, utc
from slowwave.domain.dead_letter import DeadLetter
from slowwave.domain.scope import SYSTEM_TENANT
from slowwave.errors import Incorrect
from slowwave.memory import Memory

MOST_COUNTED = 1_000


@click.group(cls=Listing)
def command() -> None:
    """List, retry or drop dead letters. Without a subcommand, list them."""


@command.command("list")
@click.option("--all", "everything", is_flag=True, help="Include retried and dropped letters.")
@tenant_option
@json_option
def list_(everything: bool, tenant: str | None, as_json: bool) -> None:
    """List dead letters, oldest first."""
    with opened(tenant) as parts:
        letters = parts.records.dead_letters(parts.settings.tenant, state=None if everything else "open")
        others = of_the_installation(parts)
    if as_json:
        return print_json(letters)
    if not letters:
        click.echo("there are no dead letters" if everything else "there are no open dead letters")
        return click.echo(others) if others else None
    made = table("letter", "category", "state", "written", "seen", "scope", "reason", "what", right=["letter", "seen"])
    for letter in letters:
        made.add_row(
            str(letter.letter), letter.category, letter.state, utc(letter.created), str(letter.seen),
            cell(_owner_of(letter)), cell(in_a_line(letter.reason)), cell(_content_of(letter)),
        )  # fmt: skip
    console().print(made)
    if others:
        click.echo(others)


def of_the_installation(parts: wiring.Parts) -> str:
    """Return a sentence with the number of unparsable broker messages, and how to list them; empty if there are none.

    The owner of such a message is unknown, so its dead letter belongs to the system tenant.
    """
    if parts.settings.tenant == SYSTEM_TENANT:
        return ""
    count = len(parts.records.dead_letters(SYSTEM_TENANT, most=MOST_COUNTED))
    many = f"{count} or more" if count == MOST_COUNTED else str(count)
    where = f"`slowwave dead-letters list --tenant {SYSTEM_TENANT}`"
    return f"{many} open for broker messages that could not be parsed: {where}" if count else ""


def _owner_of(letter: DeadLetter) -> str:
    scope = f"{letter.scope.user}/{letter.scope.agent}/{letter.scope.channel}" if letter.scope else ""
    return f"{scope} {letter.key}" if letter.key else scope


def _content_of(letter: DeadLetter) -> str:
    text = one_line(letter.content or str(letter.item or ""))
    return text if len(text) <= 120 else text[:119] + "…"


@command.command
@click.argument("letters", type=int, nargs=-1)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Retry every open letter that matches the options below, except conflicts.",
)
@click.option("--reason", help="Only letters whose reason contains this text.")
@click.option("--category", help="Only this category: incorrect, vanished, fault, malformed.")
@click.option("--pack", help="Only letters of this pack.")
@tenant_option
def retry(
    letters: tuple[int, ...], everything: bool, reason: str | None, category: str | None, pack: str | None,
    tenant: str | None,
) -> None:  # fmt: skip
    """Retry LETTERS, given by number: process their episodes again, and store messages that can now be parsed."""
    if everything == bool(letters) or (letters and (reason or category or pack)):
        raise Incorrect(
            "name letters by their numbers, or choose them with --all",
            hint="--reason, --category, --pack go with --all",
        )
    with opened(tenant) as parts:
        if everything:
            fitting = [
                letter
                for letter in parts.records.dead_letters(parts.settings.tenant)
                if _fits(letter, reason=reason, category=category, pack=pack)
            ]
            letters = tuple(letter.letter for letter in fitting)
        count = Memory(parts).operator().retry(letters) if letters else 0
    click.echo(f"{count} retried")


def _fits(letter: DeadLetter, *, reason: str | None, category: str | None, pack: str | None) -> bool:
    return (
        letter.category == (category or letter.category) != "conflict"
        and letter.pack == (pack or letter.pack)
        and (reason or "") in letter.reason
    )


@command.command
@click.argument("letters", type=int, nargs=-1, required=True)
@tenant_option
def drop(letters: tuple[int, ...], tenant: str | None) -> None:
    """Drop LETTERS, given by number. The letters stay in the database, marked as dropped."""
    with opened(tenant) as parts:
        count = Memory(parts).operator().drop(letters)
    click.echo(f"{count} dropped")
