"""Addresses of Postgres and Redis with their passwords masked, for display."""

import re


def without_password(address: str) -> str:
    """Return an address with its password masked.

    >>> without_password("postgresql://slowwave:s3cr:et@db/slowwave")
    'postgresql://slowwave:…@db/slowwave'
    """
    scheme, separator, rest = address.partition("://")
    login, at, host = rest.rpartition("@")
    if separator and ":" in login:
        login = f"{login.partition(':')[0]}:…"
    host = re.sub(r"(?i)(password=)[^&\s]*", r"\1…", host)
    return f"{scheme}{separator}{login}{at}{host}"
