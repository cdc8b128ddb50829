"""Summaries of sessions have a tree over them: what says most of those that are alike, up to one root."""

from slowwave.store.revision import refuse, run_beside

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
