"""Revision 0003: a new version of a pack runs on a share of the scopes."""

from slowwave.store.revision import run_beside

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Run the statements of the folder beside this file."""
    run_beside(__file__)
