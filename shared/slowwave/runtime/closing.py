"""A base for objects that `with` closes."""

from typing import Self


class Closing:
    """An object with a method `close`. At the end of a `with` block, the block closes the object."""

    __slots__ = ()

    def close(self) -> None:
        """Close the object."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
