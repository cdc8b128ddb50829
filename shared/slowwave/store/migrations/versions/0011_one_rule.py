"""One rule in one place: asking for work, what a legal hold covers, where a standing job works."""

from slowwave.store.revision import refuse, run_beside

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
