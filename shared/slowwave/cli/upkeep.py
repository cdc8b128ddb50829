"""`slowwave check`, `dead-letters`, `decay` and `sweep`: checks of invariants, failures, and work that is done now."""

import sys
from itertools import groupby

import click

from slowwave import wiring
from slowwave.cli.options import in_tenant, json_option, opened, tenant_option
from slowwave.cli.options.choices import Listing
from slowwave.cli.printing import cell, in_a_line, in_words, one_line, owner_text, print_json, print_listing, utc
from slowwave.domain.dead_letter import DeadLetter
from slowwave.domain.finding import Finding
from slowwave.domain.job_table import DECAY, SWEEP
from slowwave.domain.scope import SYSTEM_TENANT
from slowwave.errors import Incorrect
from slowwave.formatting import counted
from slowwave.jobs.maintenance import FOLDS
from slowwave.memory import Memory, due_work
from slowwave.wiring import Parts

MOST_COUNTED = 1_000
MOST_LINES = 20
"""The maximum number of findings of one invariant that are printed."""


@click.group(cls=Listing)
def dead_letters_command() -> None:
    """List, retry or drop dead letters. Without a subcommand, list them."""


@dead_letters_command.command("list")
@click.option("--all", "everything", is_flag=True, help="Include retried and dropped letters.")
@in_tenant
@json_option
def list_(everything: bool, parts: Parts, as_json: bool) -> None:
    """List dead letters, oldest first."""
    letters = parts.records.dead_letters(parts.settings.tenant, state=None if everything else "open")
    others = of_the_installation(parts)
    print_listing(
        letters, as_json=as_json,
        none="there are no dead letters" if everything else "there are no open dead letters",
        columns=["letter", "category", "state", "written", "seen", "scope", "reason", "what"],
        right=["letter", "seen"],
        row=lambda letter: [
            str(letter.letter), letter.category, letter.state, utc(letter.created), str(letter.seen),
            cell(_owner_of(letter)), cell(in_a_line(letter.reason)), cell(_content_of(letter)),
        ],
    )  # fmt: skip
    if others and not as_json:
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
    scope = owner_text(letter.scope) if letter.scope else ""
    return f"{scope} {letter.key}" if letter.key else scope


def _content_of(letter: DeadLetter) -> str:
    text = one_line(letter.content or str(letter.item or ""))
    return text if len(text) <= 120 else text[:119] + "…"


@dead_letters_command.command
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
    """Retry LETTERS, given by number.

    If a letter holds an episode, workers read this episode again. If it holds a broker message that could not be
    parsed, the command parses the message again, and stores the episode.
    """
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


@dead_letters_command.command
@click.argument("letters", type=int, nargs=-1, required=True)
@in_tenant
def drop(letters: tuple[int, ...], parts: Parts) -> None:
    """Drop LETTERS, given by number. The letters stay in the database, marked as dropped."""
    count = Memory(parts).operator().drop(letters)
    click.echo(f"{count} dropped")


@click.command
@click.option(
    "--all", "--rebuild", "everything", is_flag=True,
    help=f"Replay and check all ledgers, seals (nightly hashes) and episodes, not just {FOLDS} ledgers per tenant.",
)  # fmt: skip
@json_option
def check_command(everything: bool, as_json: bool) -> None:
    """Check every invariant: each fact has a source, facts agree with their ledgers, and nothing is lost or left over.

    The command changes nothing, and exits with status 1 when something is wrong. Each line describes one problem and
    its remedy. A scheduled job runs the same check daily and logs the problems.
    """
    with opened() as parts:
        found = Memory(parts).check(rebuild=everything)
        letters = "" if as_json else of_the_installation(parts)
    if as_json:
        print_json(found)
    else:
        _show(found)
        if letters:
            click.echo(f"dead letters: {letters}")
    if found:
        sys.exit(1)


def _show(found: list[Finding]) -> None:
    for (invariant, tenant), group in groupby(found, key=lambda one: (one.invariant, one.tenant)):
        lines = list(group)
        for finding in lines[:MOST_LINES]:
            click.echo(f"BAD  {finding} → {finding.remedy}")
        if len(lines) > MOST_LINES:
            click.echo(f"     and {len(lines) - MOST_LINES} more like this ({invariant}, tenant {tenant})")
    count = counted(len(found), "findings")
    click.echo(f"\n{count}" if found else "every invariant holds")


@click.command
@click.option(
    "--all", "everything", is_flag=True, help="First recompute the strength of every memory, not only of due memories."
)
@tenant_option
@json_option
def decay_command(everything: bool, tenant: str | None, as_json: bool) -> None:
    """Recompute how far the due memories have faded (their strength), and withdraw facts that have faded too far.

    Use --all after a change of the decay policy: --all also recomputes the time at which each memory is due.
    """
    with opened(tenant) as parts:
        all_of_them = due_work.refresh_strengths(parts, tenant) if everything else {}
        counts = due_work.run_for_every_tenant(parts, DECAY, by=wiring.owner_name("decay"))
    if as_json:
        return print_json({"all": dict(all_of_them), "due": dict(counts)})
    if everything:
        click.echo(f"all   {in_words(all_of_them) or 'nothing'}")
    click.echo(f"due   {in_words(counts) or 'nothing'}")


@click.command
@json_option
def sweep_command(as_json: bool) -> None:
    """Move due memories to another tier, and evict memories from each tier that is above its capacity."""
    with opened() as parts:
        counts = due_work.run_for_every_tenant(parts, SWEEP, by=wiring.owner_name("sweep"))
    if as_json:
        return print_json(dict(counts))
    click.echo(in_words(counts) or "nothing is due")
