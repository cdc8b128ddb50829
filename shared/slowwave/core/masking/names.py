"""Names of secrets in code and JSON: `db_password`, `apiKey`, `X-Auth-Token`."""

import re

from slowwave.core.masking.spans import Kind

_WORDS = re.compile(r"[A-Z]?[a-zß-ÿ]+|[A-Z]+(?![a-z])")
_LAST: dict[str, Kind] = {
    "password": "password", "passwd": "password", "pwd": "password", "passphrase": "password", "passcode": "password",
    "passwort": "password", "kennwort": "password", "contraseña": "password", "contrasena": "password",
    "psk": "password", "pin": "PIN", "cvv": "code", "cvc": "code",
    "secret": "key", "apikey": "key", "token": "token",
}  # fmt: skip
_KEYS = frozenset(
    {"access", "account", "api", "auth", "client", "encryption", "license", "private", "secret", "signing"}
)
"""Words before `key` that make it a secret: a table's key is not one."""


def named(name: str) -> Kind | None:
    """Return the kind of secret that a field called *name* holds; None if it holds none.

    >>> named("DB_PASSWORD"), named("apiKey"), named("max_tokens"), named("primary_key")
    ('password', 'key', None, None)
    """
    words = [word.casefold() for word in _WORDS.findall(name)]
    if not words:
        return None
    if words[-1] == "key" and _KEYS.intersection(words[-3:-1]):
        return "key"
    return _LAST.get(words[-1])
