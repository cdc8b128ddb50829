"""Whoever calls over HTTP has a key of a tenant, and a bucket of tokens for each verb."""

from slowwave.store.revision import refuse, run_beside

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the statements beside this file."""
    run_beside(__file__)


def downgrade() -> None:
    """Refuse."""
    refuse()
