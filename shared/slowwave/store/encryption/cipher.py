"""The cipher of words at rest: AES-256-SIV. Ciphertexts are text, which text columns and JSON strings can hold."""

import base64
import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any

from slowwave.domain.limits import ENCRYPTION_MARK as MARK
from slowwave.errors import Incorrect, Unprepared
from slowwave.runtime.extras import missing

KEY_BYTES = 64
"""The bytes of a key of AES-256-SIV, which consists of two keys of 32 bytes."""
_NONCE_BYTES = 12
_FORM = re.compile(re.escape(MARK) + r"(?P<number>[0-9]{1,9}):(?P<mode>[.=])(?P<sealed>[A-Za-z0-9+/]+={0,2})")
_PLAIN_TEXT = re.compile(
    r"|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?"
)
"""Strings of JSON that stay readable, because statements convert them: ids and times; and the empty string."""


class Cipher:
    """Encrypts and decrypts texts of one tenant. Safe to use in several threads.

    A text is encrypted with the *current* key, and decrypted with the key that its header names. *keys* are the data
    keys by number, each with the tenant to which its texts are bound: the tenant of the cipher, or the installation.
    *read_at* is the time when the keys were read.
    """

    def __init__(
        self, tenant: str, keys: Mapping[int, tuple[str, bytes]], current: int | None, *, read_at: float = 0.0
    ) -> None:
        self._tenant = tenant.encode()
        self._keys = {number: (owner.encode(), _aes_siv(key)) for number, (owner, key) in keys.items()}
        self.current = current
        self.read_at = read_at

    def __contains__(self, number: int) -> bool:
        return number in self._keys

    def encrypt(self, text: str, *, same: bool = False) -> str:
        """Return *text* encrypted; unchanged if it is empty, or if no key is current.

        With *same*, equal texts have equal ciphertexts, so that Postgres can compare them.
        """
        if self.current is None or not text:
            return text
        return self._encrypted(text, self.current, b"" if same else secrets.token_bytes(_NONCE_BYTES))

    def _encrypted(self, text: str, number: int, nonce: bytes) -> str:
        owner, siv = self._keys[number]
        sealed = siv.encrypt(text.encode("utf-8", "surrogatepass"), [owner, nonce or b"same"])
        return f"{MARK}{number}:{'.' if nonce else '='}{base64.b64encode(nonce + sealed).decode()}"

    def forms(self, text: str) -> list[str]:
        """Return the forms in which *text* may be stored if equal texts are stored equal: plain, or under a key."""
        return [text, *(encrypt(text) for encrypt in self._own())] if text else [text]

    def json_forms(self, value: Any, plain: Collection[str]) -> list[Any]:
        """Return the forms in which a JSON *value* may be stored if equal values are stored equal; see `each_text`."""
        return [value, *(each_text(value, encrypt, plain) for encrypt in self._own())]

    def _own(self) -> list[Callable[[str], str]]:
        own = [number for number, (owner, _) in self._keys.items() if owner == self._tenant]
        return [partial(self._encrypted, number=number, nonce=b"") for number in own]

    def decrypt(self, text: str) -> str:
        """Return the plain text of *text*. A text that is not encrypted is returned as it is.

        Raises `KeyError` with the number of an unknown key, and `Unprepared` for a text that was changed.
        """
        if (form := _FORM.fullmatch(text)) is None:
            return text
        from cryptography.exceptions import InvalidTag

        tenant, siv = self._keys[int(form["number"])]
        try:
            raw = base64.b64decode(form["sealed"], validate=True)
            size = 0 if form["mode"] == "=" else _NONCE_BYTES
            plain: bytes = siv.decrypt(raw[size:], [tenant, raw[:size] or b"same"])
        except (InvalidTag, ValueError):
            raise Unprepared(
                "An encrypted text was changed, and cannot be decrypted.",
                hint="restore the row from a backup; `slowwave check` says which rows differ from the ledger",
            ) from None
        return plain.decode("utf-8", "surrogatepass")


def number_of(text: str) -> int | None:
    """Return the number of the data key of an encrypted *text*; None if *text* is not encrypted."""
    form = _FORM.fullmatch(text)
    return int(form["number"]) if form else None


def each_text(value: Any, change: Callable[[str], str], plain: Collection[str] = ()) -> Any:
    """Return a JSON *value* in which *change* has been applied to every string that has words.

    Ids, times and field names stay as they are. So do strings under the keys *plain* of the object itself and of its
    `claim`, which statements compare, and lists of sessions.
    """
    match value:
        case str():
            return value if _PLAIN_TEXT.fullmatch(value) else change(value)
        case list():
            return [each_text(one, change) for one in value]
        case dict():
            return {
                key: one
                if key in plain and (isinstance(one, str) or key == "sessions")
                else each_text(one, change, plain if key == "claim" else ())
                for key, one in value.items()
            }
    return value


class MasterKeys:
    """The keys of SLOWWAVE_ENCRYPTION_KEYS. The first wraps new data keys; each unwraps its own.

    *secret* has keys of 64 bytes in base64, separated by commas. Raises `Incorrect`, which lists
    every malformed key.
    """

    def __init__(self, secret: str) -> None:
        problems, keys = [], []
        for at, text in enumerate(secret.split(","), 1):
            try:
                key = base64.b64decode(text.strip(), validate=True)
            except ValueError:
                problems.append(f"key {at}: is not base64")
                continue
            keys.append(key)
            if len(key) != KEY_BYTES:
                problems.append(f"key {at}: has {len(key)} bytes, must have {KEY_BYTES}")
        if problems:
            raise Incorrect.listing(
                "SLOWWAVE_ENCRYPTION_KEYS", problems, hint="`slowwave encryption new-key` prints a key"
            )
        _aes_siv(keys[0])  # refuses a missing package at once, not at its first use
        self._keys = {_name(key): key for key in reversed(keys)}
        self.current = _name(keys[0])

    def wrap(self, data_key: bytes, tenant: str) -> bytes:
        """Return *data_key*, encrypted with the current master key and bound to its *tenant*."""
        return bytes(_aes_siv(self._keys[self.current]).encrypt(data_key, [tenant.encode()]))

    def unwrap(self, wrapped: bytes, tenant: str, master: str) -> bytes:
        """Return the data key in *wrapped*. Raises `Unprepared` if no master key of the settings unwraps it."""
        from cryptography.exceptions import InvalidTag

        try:
            return bytes(_aes_siv(self._keys[master]).decrypt(wrapped, [tenant.encode()]))
        except (KeyError, InvalidTag):
            raise Unprepared(
                f"The encryption key of tenant {tenant!r} was wrapped with another master key ({master}).",
                hint="add that key to SLOWWAVE_ENCRYPTION_KEYS, after the current key and a comma",
            ) from None


def new_master_key() -> str:
    """Return a new random master key, in the format of SLOWWAVE_ENCRYPTION_KEYS."""
    return base64.b64encode(secrets.token_bytes(KEY_BYTES)).decode()


def _name(key: bytes) -> str:
    """Return the public name of a master key: the beginning of a keyed digest, from which the key cannot be guessed."""
    return hmac.digest(key, b"name of a master key", hashlib.sha256).hex()[:16]


def _aes_siv(key: bytes) -> Any:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESSIV
    except ModuleNotFoundError as error:
        raise missing("cryptography") from error
    return AESSIV(key)
