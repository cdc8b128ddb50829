"""The Celery task that claimed a run, by which Flower and `slowwave runs` speak of the same."""

from slowwave.store.revision import refuse, run_beside

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
