"""Revision 0001: the whole schema."""

from slowwave.store.revision import refuse, run_beside

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements of the folder beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse the downgrade."""
    refuse()
