"""The messages between a process and the second process that reads ahead.

The messages are pickles of our own values.
"""

import copyreg
import io
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter
from struct import Struct
from typing import Any, NamedTuple

from slowwave.domain.claim import Claim, Source
from slowwave.domain.episode import StoredEpisode

TOGETHER = 8
"""The number of turns whose claims are sent back in one reply."""
Fields = Mapping[str, Any]
_HEAD = Struct("<QII")


@dataclass(frozen=True, slots=True)
class NewPack:
    """A pickled pack. Later messages name the pack by *number*."""

    number: int
    pack: bytes


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """A request to read *episodes* in order, with the turns *before* these episodes as context.

    Each turn is given by its fields.
    """

    number: int
    pack: int
    before: Sequence[Fields]
    episodes: Sequence[Fields]


@dataclass(frozen=True, slots=True)
class Cancellation:
    """A message that cancels those turns of a request that are not read yet."""

    number: int


class ReadReply(NamedTuple):
    """The number of the next turns of a request (*turns*), and their pickled *claims*: one list of claims per turn."""

    number: int
    turns: int
    claims: bytes


def framed(read: ReadReply) -> bytes:
    """Return *read* as bytes, after the length of these bytes."""
    return _HEAD.pack(read.number, read.turns, len(read.claims)) + read.claims


def take_replies(received: bytearray) -> Iterator[ReadReply]:
    """Yield every complete reply in the bytes *received*, and remove these replies from *received*."""
    while len(received) >= _HEAD.size:
        number, turns, length = _HEAD.unpack_from(received)
        end = _HEAD.size + length
        if len(received) < end:
            return
        yield ReadReply(number, turns, bytes(received[_HEAD.size : end]))
        del received[:end]


def fields_of(turns: Sequence[StoredEpisode]) -> list[Fields]:
    """Return the fields of *turns*."""
    return [vars(turn) for turn in turns]


def turns_of(turns: Sequence[Fields]) -> list[StoredEpisode]:
    """Return the turns with these fields. The turns need no check, because a push has checked them."""
    return [StoredEpisode.model_construct(**turn) for turn in turns]


def packed(claims: Sequence[Sequence[Claim]]) -> bytes:
    """Return *claims* as bytes, which `unpacked` reads."""
    into = io.BytesIO()
    _Pickler(into, pickle.HIGHEST_PROTOCOL).dump(claims)
    return into.getvalue()


def unpacked(claims: bytes) -> list[list[Claim]]:
    """Return the claims in these bytes: one list per turn."""
    found: list[list[Claim]] = pickle.loads(claims)  # the bytes come from a process that this process started
    return found


class _Pickler(pickle.Pickler):
    """A pickler of claims.

    It stores a claim as a call with the claim's fields, which takes half the time of pickling a dataclass.
    """

    dispatch_table = copyreg.dispatch_table.copy()


def _reducing(kind: type[Any]) -> Callable[[Any], tuple[type[Any], tuple[Any, ...]]]:
    values = attrgetter(*(field.name for field in fields(kind)))
    return lambda value: (kind, values(value))


_Pickler.dispatch_table.update({kind: _reducing(kind) for kind in (Claim, Source)})
