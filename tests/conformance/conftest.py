"""A desk to work the run protocol at, for what a document says of jobs."""

from tests.contract.conftest import desk

__all__ = ["desk"]
