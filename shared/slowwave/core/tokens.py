"""An estimate of a text's tokens, the same everywhere, that needs no model's vocabulary."""

BYTES_A_TOKEN = 4
"""English prose takes about four bytes a token in the vocabularies in use, and so do other scripts in UTF-8, roughly:
a Cyrillic letter is half a token, a Chinese character three quarters of one."""


def tokens(text: str) -> int:
    """Return about how many tokens *text* takes; at least 1, unless it is empty.

    >>> tokens("Where does Alice live?"), tokens("Привет"), tokens("")
    (6, 3, 0)
    """
    return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_A_TOKEN)
