"""Reads of trees for model summaries: each node with its model summary."""

import uuid
from collections.abc import Sequence

from slowwave.core.summaries.extractive_summary import subject
from slowwave.domain.job_table import GROW, pack_of
from slowwave.jobs.summaries.model_summaries import Branch
from slowwave.store.database import Database
from slowwave.store.statements import sql
from slowwave.store.summaries.model_summaries import tellings
from slowwave.store.summaries.tree_nodes import lines_of

MOST = 100_000
"""The most nodes of a scope's tree: more than any user has sessions."""


class PostgresBranches:
    """A `BranchStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def branches(self, tenant: str, scope: uuid.UUID) -> Sequence[Branch]:
        with self._database.tenant(tenant) as connection:
            if connection.exec_driver_sql(
                "SELECT EXISTS (SELECT FROM intents WHERE scope = %(scope)s AND pack = %(pack)s)",
                {"scope": scope, "pack": pack_of(GROW)},
            ).scalar_one():
                return []
            rows = connection.exec_driver_sql(
                sql("summaries/nodes"), {"scopes": [scope], "under": None, "most": MOST}
            ).all()
            abouts = [str(row.node) if row.level else subject(row.session) for row in rows]
            told = {one.telling.about: one for one in tellings(connection, scope, abouts)}
            lines = lines_of(connection, rows)
            return [
                Branch(row.node, row.level, row.parent, quotes, about, told.get(about))
                for row, quotes, about in zip(rows, lines, abouts, strict=True)
            ]
