"""`slowwave export`, `import`, `verify`, `backup` and `restore`: memories as files."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import click

from slowwave import wiring
from slowwave.cli.import_export.other_formats import FORMS, episodes_of
from slowwave.cli.options import in_tenant, json_option, opened, tenant_option
from slowwave.cli.push import take
from slowwave.domain.scope import GLOBAL_CHANNEL
from slowwave.errors import Incorrect, SlowwaveError
from slowwave.formatting import counted
from slowwave.memory.import_export import transfer
from slowwave.memory.import_export.counts import MovedCounts
from slowwave.memory.import_export.signing import Signer, signer_of
from slowwave.memory.import_export.verifying import UNSIGNED, verify_export
from slowwave.wiring import Parts, Settings


@contextmanager
def progress(what: str = "scopes") -> Iterator[Callable[..., None]]:
    """Give a function to call for each finished item; on a terminal, the function updates a counter."""
    count, terminal = 0, sys.stderr.isatty()

    def advance(*_: object) -> None:
        nonlocal count
        count += 1
        if terminal:
            click.echo(f"\r{counted(count, what)}", nl=False, err=True)

    try:
        yield advance
    finally:
        if terminal and count:
            click.echo(err=True)


def counted_rows(moved: MovedCounts) -> str:
    """Return the counts of moved rows, in words."""
    names = (("episodes", "episodes"), ("facts", "versions of facts"), ("deltas", "deltas"))
    parts = [counted(moved.scopes, "scopes")]
    parts += [f"{moved.rows[name]} {words}" for name, words in names if moved.rows.get(name)]
    rest = sum(count for name, count in moved.rows.items() if name not in dict(names))
    return ", ".join(parts + ([f"{rest} rows besides"] if rest else []))


@click.command
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--user", metavar="NAME", help="Only the memories of this user.")
@click.option("--agent", metavar="NAME", help="Only the memories of this agent.")
@click.option("--channel", metavar="NAME", help="Only the memories of this channel.")
@in_tenant
def export_command(file: Path, user: str | None, agent: str | None, channel: str | None, parts: Parts) -> None:
    """Export all memories of a tenant to FILE as JSON Lines. If FILE is `-`, write to standard output.

    FILE is a snapshot of episodes, facts with all versions, deltas with their sources, goals, strategies, reviews and
    more. FILE appears when it is complete, and only its owner may read it. `slowwave import FILE` imports the file.
    """
    owner = (parts.settings.tenant, user, agent, channel)
    with progress() as advance:
        if str(file) == "-":
            moved = transfer.to_stream(parts, sys.stdout.buffer, *owner, advance)
        else:
            moved = transfer.to_file(parts, file, *owner, advance)
    click.echo(f"{counted_rows(moved)} written", err=str(file) == "-")


@click.command
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--from", "form", type=click.Choice(sorted(FORMS)), help="The file's format; Slowwave's own by default.")
@click.option("--user", metavar="NAME", help="With --from: the user of entries without a user.")
@click.option(
    "--agent", default="default", show_default=True, help="With --from: the agent of entries without an agent."
)
@click.option("--channel", default=GLOBAL_CHANNEL, show_default=True, help="With --from: the channel of all entries.")
@click.option("--dry-run", is_flag=True, help="Report what would be imported, and list the problems; write nothing.")
@tenant_option
@json_option
def import_command(
    file: Path, form: str | None, user: str | None, agent: str, channel: str, dry_run: bool, tenant: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Import the memories of FILE with their ids and facts. A scope is imported completely or not at all.

    You can repeat an interrupted import. --tenant imports into another tenant, with new ids. With --from, FILE comes
    from another memory system. Slowwave learns from the messages in FILE. Conclusions of the other system become
    episodes of the role `system`: recall finds these episodes, but no pack reads them. The id of each entry becomes the
    key of its episode, so a repeated import stores nothing twice.
    """
    if form is not None:
        with progress("batches") as advance:
            take(
                episodes_of(form, file), {"user": user, "agent": agent, "channel": channel}, tenant=tenant,
                dry_run=dry_run, as_json=as_json, noun="item", advance=advance,
            )  # fmt: skip
        return
    if user is not None or as_json:
        raise Incorrect(
            f"{'--json' if user is None else '--user'} needs --from, the format of another project's file",
            hint="a file of `slowwave export` already has the owner of each memory",
        )
    with opened(tenant) as parts, progress() as advance:
        moved = transfer.from_file(parts, file, tenant, dry_run=dry_run, on_scope=advance)
    click.echo(f"{counted_rows(moved)} {'would arrive' if dry_run else 'arrived'}")
    if moved.known:
        click.echo(f"{counted(moved.known, 'scopes')} were imported before")


@click.command
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--signed", is_flag=True, help="Fail also if the signature is missing or cannot be checked here.")
def verify_command(file: Path, signed: bool) -> None:
    """Check that FILE, a file of `slowwave export`, is complete, consistent and unchanged.

    The command rebuilds the facts from the deltas and compares them with the facts in FILE, compares each fact with its
    delta and each episode with its digest, and looks for every quote in its episode. It lists the problems, and exits
    with status 1 if there are any.

    `slowwave export` signs FILE with the key of the tenant, which is in the database. Where this database is at hand,
    the command also checks the signature, and names the lines that were changed, whatever was changed. Elsewhere, it
    says that it did not check the signature. Then somebody may have changed FILE and its digests, so compare the
    printed SHA-256 with one that you stored in another place.
    """
    unread: list[str] = []
    found = verify_export(file, partial(_signer_at_hand, unread), signed=signed)
    click.echo(f"{counted_rows(found.counts)} are consistent")
    click.echo(f"SHA-256 {found.sha256}")
    if found.signature == "valid":
        click.echo("the signature matches: nobody changed the file after the export")
    else:
        click.echo("; ".join([UNSIGNED[found.signature], *unread]))


def _signer_at_hand(unread: list[str], tenant: str) -> Signer | None:
    """Return the signer of *tenant*; None if this host has no database, or if the database cannot be read.

    The reason is added to *unread*. No embedded database is created.
    """
    parts = None
    try:
        parts = wiring.open_existing(Settings.load())
        return None if parts is None else signer_of(parts, tenant)
    except SlowwaveError as error:
        unread.append(error.message)
        return None
    finally:
        if parts is not None:
            parts.close()


@click.command
@click.argument("file", type=click.Path(path_type=Path))
def backup_command(file: Path) -> None:
    """Write a backup of the embedded database to FILE, while other processes go on.

    FILE is a snapshot of all tenants. It appears when it is complete, and only its owner may read it. `slowwave restore
    FILE` restores the backup. If you run your own Postgres, back it up with pg_dump.
    """
    with opened() as parts:
        if parts.services is None:
            raise Incorrect(
                "SLOWWAVE_URL names your own Postgres: back it up with the pg_dump of its version",
                hint='pg_dump --format=custom --file=FILE "$SLOWWAVE_OWNER_URL"; or `slowwave export` for one tenant',
            )
        wiring.backup(parts.services, file)
    click.echo(f"{file}: {file.stat().st_size / 1e6:.1f} MB")


@click.command
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--replace", is_flag=True, help="Replace the database that the home has now.")
def restore_command(file: Path, replace: bool) -> None:
    """Restore the backup FILE into the home of the embedded database, and migrate its schema.

    A home that already has a database needs --replace; the old database stays until the restore is complete. Stop
    workers and agents first: the restore closes their connections.
    """
    tenants = wiring.restore(Settings.load(), file, replace=replace)
    for tenant, digest in tenants.items():
        click.echo(f"{tenant}: {digest}")
    click.echo("restored; the lines above have the digest of each tenant's facts")
