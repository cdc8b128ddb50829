"""Revision 0004: words are encrypted at rest."""

from slowwave.store.revision import run_beside

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Run the statements of the folder beside this file."""
    run_beside(__file__)
