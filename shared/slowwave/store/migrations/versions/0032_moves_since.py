"""The database knows since when a scope is on its way to another embedding space."""

from slowwave.store.revision import refuse, run_beside

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
