"""Revision 0003: a new version of a pack runs on a share of the scopes."""

from slowwave.store.revision import refuse, run_beside

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements of the folder beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse the downgrade."""
    refuse()
