"""The database knows which installation registered its packs last."""

from slowwave.store.revision import refuse, run_beside

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
