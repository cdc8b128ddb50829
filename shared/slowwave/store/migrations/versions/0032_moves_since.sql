-- Since when a scope is on its way to another embedding space. As the owner.

ALTER TABLE embedding_moves ADD COLUMN since TIMESTAMP WITH TIME ZONE;
COMMENT ON COLUMN embedding_moves.since IS
'When it set out; of one that set out before the database kept that, nobody knows.';
GRANT UPDATE (since) ON embedding_moves TO slowwave_app;
CREATE INDEX embedding_moves_coming ON embedding_moves (tenant, toward) WHERE toward IS NOT NULL;
