"""Encryption of words at rest: the data keys of a tenant, their rotation, and their destruction."""

from collections.abc import Sequence

from slowwave.domain.arguments import Name, checked
from slowwave.domain.erasure import wanted
from slowwave.errors import Incorrect
from slowwave.memory.erasing import work
from slowwave.memory.verb_group import TenantVerbs
from slowwave.store import reencryption
from slowwave.store.encryption.cipher import new_master_key
from slowwave.store.reencryption import DataKey, Reencrypted
from slowwave.wiring import Parts

__all__ = ["DataKey", "Encryption", "Reencrypted", "new_master_key"]


class Encryption(TenantVerbs):
    """The data keys of tenants. Without SLOWWAVE_ENCRYPTION_KEYS, nothing is encrypted."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    @checked
    def listing(self, *, tenant: Name | None = None) -> Sequence[DataKey]:
        """Return the data keys of a tenant, oldest first, without the keys themselves.

        A tenant gets its first key with its first transaction.
        """
        return reencryption.data_keys(self._parts.database, self._tenant(tenant))

    @checked
    def rotate(self, *, tenant: Name | None = None) -> DataKey:
        """Add a data key of a tenant; return the key. It is used after a minute, when every process has read it.

        Raises `Incorrect` without SLOWWAVE_ENCRYPTION_KEYS.
        """
        return reencryption.rotate(self._parts.database, self._tenant(tenant))

    @checked
    def encrypt_stored(self, *, tenant: Name | None = None) -> Reencrypted:
        """Encrypt all stored words of a tenant with the current data key, while others work; return the counts.

        Also wraps the data keys with the current master key. An interrupted call can be repeated. A later call deletes
        the old data keys, when the current key has been in use for an hour and no row needs an old key. Raises
        `Incorrect` without SLOWWAVE_ENCRYPTION_KEYS, and `Unavailable` until the newest key is in use.
        """
        return reencryption.encrypt_stored(self._parts.database, self._tenant(tenant))

    @checked
    def destroy(self, *, tenant: Name | None = None, confirm: Name | None = None) -> int:
        """Delete the memories of every user of a tenant permanently, then the tenant's data keys; return their number.

        New words get a new data key. The call waits until every process uses it, which takes a minute and a half. A
        backup has a copy of the wrapped keys: whoever has the master key too can read it. *confirm* must be the name of
        the tenant. Raises `Incorrect` otherwise, and `Conflict` under a legal hold.
        """
        name = self._tenant(tenant)
        if confirm != name:
            raise Incorrect(
                f"this deletes all memories of tenant {name!r} permanently", hint=f"confirm it with {name!r}"
            )
        new = self.rotate(tenant=name)
        with self._parts.database.tenant(name) as connection:
            users = reencryption.users(connection)
        for user in users:
            work.forget(
                self._parts, name, wanted(user=user, session=None, fact=None, matching=None), preview=False,
                confirm=None, learn_again=False, rewriting=False, timeout=600.0,
            )  # fmt: skip
        work.rewrite_erased(self._parts, name)
        return reencryption.delete_keys(self._parts.database, name, new)

    def __repr__(self) -> str:
        return "<Encryption>"
