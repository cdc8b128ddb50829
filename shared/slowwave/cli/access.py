"""`slowwave keys`, `encryption` and `quotas`: keys for HTTP, keys for encryption at rest, and limits on use."""

import uuid
from collections.abc import Callable

import click

from slowwave.cli.options import in_tenant, json_option, opened, tenant_option
from slowwave.cli.options.choices import Listing
from slowwave.cli.printing import cell, print_json, print_listing, utc
from slowwave.domain.access import EVERY, PERIODS, VERBS
from slowwave.formatting import counted
from slowwave.memory.operations import Access, Encryption, Quotas
from slowwave.wiring import Parts

_WHAT = click.Choice(list(PERIODS))


def _of_user(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that name the user of a quota, or all users."""
    command = click.option("--each-user", is_flag=True, help="The quota of each user of the tenant.")(command)
    return click.option(
        "--user", metavar="NAME", help="The quota of this user. It replaces the quota that --each-user set."
    )(command)


def _owner_suffix(user: str | None, each_user: bool) -> str:
    return " for each user" if each_user else f" for {user}" if user else ""


@click.group(cls=Listing)
def keys_command() -> None:
    """Create, list or revoke keys of the HTTP API. Without a subcommand, list them."""


@keys_command.command
@click.argument("name")
@click.option(
    "--verb", "verbs", multiple=True, default=[EVERY], show_default=True, metavar="VERB",
    help=f"What the key allows: {', '.join(VERBS)}, or {EVERY} for all. Repeat --verb for several.",
)  # fmt: skip
@in_tenant
@json_option
def create(name: str, verbs: tuple[str, ...], parts: Parts, as_json: bool) -> None:
    """Create a key called NAME for one tenant.

    The command prints the key only once, because Slowwave stores only its hash.
    """
    key, secret = Access(parts).create(name, list(verbs))
    if as_json:
        return print_json({"key": key.key, "secret": secret, "name": key.name, "verbs": key.verbs})
    click.echo(secret)
    click.echo(
        f"Store this key: it is not shown again. Its id is {key.key}; it allows {', '.join(key.verbs)}.", err=True
    )


@keys_command.command("list")
@in_tenant
@json_option
def list_keys(parts: Parts, as_json: bool) -> None:
    """List the keys of a tenant, oldest first, including revoked ones."""
    keys = Access(parts).listing()
    print_listing(
        keys, as_json=as_json, none="there are no keys; `slowwave keys create NAME` makes one",
        columns=["key", "name", "for", "made", "revoked"],
        row=lambda key: [str(key.key), cell(key.name), ", ".join(key.verbs), utc(key.created), utc(key.revoked)],
    )  # fmt: skip


@keys_command.command
@click.argument("key", type=click.UUID)
@in_tenant
def revoke(key: uuid.UUID, parts: Parts) -> None:
    """Revoke the key with the id KEY permanently. Servers refuse the key within a second."""
    gone = Access(parts).revoke(key)
    click.echo(f"{gone.name} is revoked")


@click.group(cls=Listing)
def quotas_command() -> None:
    """List, set or remove the quotas of a tenant and its users. Without a subcommand, list them.

    Slowwave refuses a write or recall beyond a quota, and reports the seconds to wait. If an outbox is set, the
    outbox keeps the refused push. Model calls beyond tokens-a-day or cents-a-day wait for the next day (UTC); until
    then, `answer` is refused, and recall does not restate questions.
    """


@quotas_command.command("list")
@in_tenant
@json_option
def list_quotas(parts: Parts, as_json: bool) -> None:
    """List the quotas of a tenant and its users, each with the amount that is left."""
    quotas = Quotas(parts).listing()
    print_listing(
        quotas, as_json=as_json, none="there are no quotas; `slowwave quotas set` makes one",
        columns=["quota", "of", "most", "left"],
        row=lambda quota: [
            quota.what, f"user {cell(quota.user)}" if quota.user else quota.applies, f"{quota.most:,}",
            "" if quota.left is None else f"{quota.left:,}",
        ],
    )  # fmt: skip


@quotas_command.command("set")
@click.argument("what", type=_WHAT, metavar="QUOTA")
@click.argument("most", metavar="NUMBER", type=click.IntRange(1, 2**63 - 1))
@_of_user
@tenant_option
def set_(what: str, most: int, user: str | None, each_user: bool, tenant: str | None) -> None:
    """Set QUOTA of a tenant or its users to NUMBER. Every process applies the new limit within five seconds.

    QUOTA is episodes-a-minute, bytes-a-day, recalls-a-minute, episodes-waiting, tokens-a-day, cents-a-day or
    runs-in-turn.

    cents-a-day limits the cost of model calls, in hundredths of the currency of SLOWWAVE_MODEL_PROMPT_PRICE. The limits
    of model calls of a tenant replace SLOWWAVE_MODEL_TOKENS_A_DAY and SLOWWAVE_MODEL_MONEY_A_DAY. runs-in-turn is how
    many runs a worker does for the tenant before it looks for work of other tenants. The default is one run.
    """
    with opened(tenant) as parts:
        Quotas(parts).set(what, most, user=user, each_user=each_user)
    click.echo(f"at most {most:,} {what}{_owner_suffix(user, each_user)}")


@quotas_command.command
@click.argument("what", type=_WHAT, metavar="QUOTA")
@_of_user
@tenant_option
def remove(what: str, user: str | None, each_user: bool, tenant: str | None) -> None:
    """Remove QUOTA of a tenant, of each user, or of one user. `slowwave quotas set --help` lists the quotas.

    After the quota of one user is removed, the quota that --each-user set applies to this user.
    """
    with opened(tenant) as parts:
        Quotas(parts).remove(what, user=user, each_user=each_user)
    click.echo(f"{what}{_owner_suffix(user, each_user)}: no limit")


@click.group(cls=Listing, usual="list")
def encryption_command() -> None:
    """Encrypt words at rest: list, rotate, apply or destroy the data keys of a tenant.

    Every process needs the same SLOWWAVE_ENCRYPTION_KEYS. Without a subcommand, list the data keys.
    """


@encryption_command.command("new-key")
def new_key() -> None:
    """Print a new master key for SLOWWAVE_ENCRYPTION_KEYS.

    Slowwave does not store this key. Without it, nobody can read the encrypted words.
    """
    click.echo(Encryption.new_master_key())


@encryption_command.command("list")
@in_tenant
@json_option
def list_data_keys(parts: Parts, as_json: bool) -> None:
    """List the data keys of a tenant, oldest first.

    The keys themselves are not shown.
    """
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
    """Add a new data key.

    All processes use it after a minute. After two minutes, run `slowwave encryption apply`.
    """
    key = Encryption(parts).rotate()
    if as_json:
        return print_json(key)
    click.echo(f"key {key.key} encrypts new words from {utc(key.used_from)}; then run `slowwave encryption apply`")


@encryption_command.command
@in_tenant
@json_option
def status(parts: Parts, as_json: bool) -> None:
    """Count the rows with readable words, and the rows under an older data key.

    The command reads every row with words, so it takes as long as `slowwave encryption apply`.
    """
    print_listing(
        Encryption(parts).status(), as_json=as_json, none="all words are encrypted with the newest data key",
        columns=["table", "readable", "under an older key"],
        row=lambda stale: [stale.table, str(stale.readable), str(stale.older)],
    )  # fmt: skip


@encryption_command.command
@click.option("--rewrite", is_flag=True, help="Then rewrite tables and indexes without the earlier rows.")
@in_tenant
@json_option
def apply(rewrite: bool, parts: Parts, as_json: bool) -> None:
    """Encrypt all stored words with the current keys.

    Other processes can work in the meantime. An interrupted command can be repeated. If the current data key has been
    in use for two days and all words are encrypted with it, the command deletes the old data keys.

    The files of Postgres keep the earlier rows until --rewrite, which locks each table while it rewrites the table.
    """
    done = Encryption(parts).encrypt_stored(rewrite=rewrite)
    if as_json:
        return print_json(done)
    for table, rows in done.rows.items():
        click.echo(f"{table}: {counted(rows, 'rows')} encrypted")
    click.echo(
        f"{counted(sum(done.rows.values()), 'rows')} encrypted, {counted(done.wrapped, 'data keys')} wrapped with the "
        f"current master key, {counted(len(done.deleted), 'old data keys')} deleted"
    )
    if done.rewritten:
        click.echo("tables, indexes and statistics rewritten without the earlier rows")


@encryption_command.command
@click.option("--confirm", metavar="TENANT", help="The name of the tenant, to confirm.")
@in_tenant
@json_option
def destroy(confirm: str | None, parts: Parts, as_json: bool) -> None:
    """Delete a tenant's memories and data keys, for good."""
    count = Encryption(parts).destroy(confirm=confirm)
    if as_json:
        return print_json({"deleted_keys": count})
    click.echo(f"all memories of the tenant are deleted, and {counted(count, 'data keys')}")
