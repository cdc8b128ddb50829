"""A harness to work the run protocol at, for what a document says of jobs."""

from tests.contract.conftest import harness

__all__ = ["harness"]
