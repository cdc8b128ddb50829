"""Revision 0013: model calls for which a caller waits count in the quotas of their user."""

from slowwave.store.revision import run_beside

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Run the statements of the folder beside this file."""
    run_beside(__file__)
