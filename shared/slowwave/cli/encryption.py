"""`slowwave encryption`: the keys that encrypt words at rest."""

import click

from slowwave.cli.options import in_tenant, json_option
from slowwave.cli.options.choices import Listing
from slowwave.cli.printing import print_json, print_listing, utc
from slowwave.formatting import counted
from slowwave.memory.encryption import Encryption, new_master_key
from slowwave.wiring import Parts


@click.group(cls=Listing, usual="list")
def encryption_command() -> None:
    """Encrypt words at rest: list, rotate, apply or destroy the data keys of a tenant.

    Every process needs the same SLOWWAVE_ENCRYPTION_KEYS. Without a subcommand, list the data keys.
    """


@encryption_command.command("new-key")
def new_key() -> None:
    """Print a new master key for SLOWWAVE_ENCRYPTION_KEYS.

    Slowwave does not store this key: without it, nobody can read the encrypted words.
    """
    click.echo(new_master_key())


@encryption_command.command("list")
@in_tenant
@json_option
def list_keys(parts: Parts, as_json: bool) -> None:
    """List the data keys of a tenant, oldest first, without the keys themselves."""
    keys = Encryption(parts).listing()
    print_listing(
        keys, as_json=as_json, none="there are no data keys: SLOWWAVE_ENCRYPTION_KEYS is not set",
        columns=["key", "master key", "made", "used from"],
        row=lambda key: [str(key.key), key.master, utc(key.made), utc(key.used_from)],
    )  # fmt: skip


@encryption_command.command
@in_tenant
@json_option
def rotate(parts: Parts, as_json: bool) -> None:
    """Add a new data key. All processes use it after a minute; then run `slowwave encryption apply`."""
    key = Encryption(parts).rotate()
    if as_json:
        return print_json(key)
    click.echo(f"key {key.key} encrypts new words from {utc(key.used_from)}; then run `slowwave encryption apply`")


@encryption_command.command
@in_tenant
@json_option
def apply(parts: Parts, as_json: bool) -> None:
    """Encrypt all stored words with the current keys, while others work.

    An interrupted command can be repeated. If it is repeated after an hour, it also deletes the old data keys.
    """
    done = Encryption(parts).encrypt_stored()
    if as_json:
        return print_json(done)
    for table, rows in done.rows.items():
        click.echo(f"{table}: {counted(rows, 'rows')} encrypted")
    click.echo(
        f"{counted(sum(done.rows.values()), 'rows')} encrypted, {counted(done.wrapped, 'data keys')} wrapped with the "
        f"current master key, {counted(len(done.deleted), 'old data keys')} deleted"
    )


@encryption_command.command
@click.option("--confirm", metavar="TENANT", help="The name of the tenant, to confirm.")
@in_tenant
@json_option
def destroy(confirm: str | None, parts: Parts, as_json: bool) -> None:
    """Delete all memories of a tenant permanently, and then its data keys."""
    count = Encryption(parts).destroy(confirm=confirm)
    if as_json:
        return print_json({"deleted_keys": count})
    click.echo(f"all memories of the tenant are deleted, and {counted(count, 'data keys')}")
