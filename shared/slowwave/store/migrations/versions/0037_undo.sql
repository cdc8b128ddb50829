-- Orders to undo claims, a row for each scope, and the claims that they leave out. As the owner.

CREATE TABLE undos (
    scope UUID NOT NULL,
    undo UUID NOT NULL,
    tenant TEXT NOT NULL,
    what TEXT NOT NULL,
    reason TEXT NOT NULL,
    by_whom TEXT NOT NULL,
    asked TIMESTAMP WITH TIME ZONE DEFAULT slowwave_now() NOT NULL,
    withdraws UUID,
    run BIGINT,
    applied TIMESTAMP WITH TIME ZONE,
    lifted TIMESTAMP WITH TIME ZONE,
    CONSTRAINT undos_pkey PRIMARY KEY (scope, undo)
);
COMMENT ON TABLE undos IS
'Orders to undo, a row for each scope. The claims they leave out are in undone.';
COMMENT ON COLUMN undos.what IS 'A run, a delta, a pack or a time, in words.';
COMMENT ON COLUMN undos.withdraws IS 'The undo that it takes back.';
COMMENT ON COLUMN undos.run IS 'The run that wrote its deltas; null until then.';
COMMENT ON COLUMN undos.applied IS 'When its deltas were recorded; null until then.';
COMMENT ON COLUMN undos.lifted IS 'When it was taken back.';
CREATE INDEX undos_of_order ON undos (undo);
CREATE INDEX undos_unfinished ON undos (tenant) WHERE applied IS NULL;

ALTER TABLE undos ENABLE ROW LEVEL SECURITY;
ALTER TABLE undos FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON undos TO slowwave_app
USING (tenant = (SELECT slowwave_tenant())) WITH CHECK (tenant = (SELECT slowwave_tenant()));
GRANT SELECT, INSERT ON undos TO slowwave_app;
GRANT UPDATE (run, applied, lifted) ON undos TO slowwave_app;
SELECT slowwave_guard_scope('undos', 'scope', '');

CREATE TABLE undone (
    scope UUID NOT NULL,
    undo UUID NOT NULL,
    delta UUID NOT NULL,
    tenant TEXT NOT NULL,
    place TIMESTAMP WITH TIME ZONE NOT NULL,
    CONSTRAINT undone_pkey PRIMARY KEY (scope, undo, delta)
);
COMMENT ON TABLE undone IS 'The claims that an undo leaves out. Append-only by grant.';
COMMENT ON COLUMN undone.delta IS 'The first decision about the claim.';
COMMENT ON COLUMN undone.place IS 'Where the claim stands in the order of telling.';

ALTER TABLE undone ENABLE ROW LEVEL SECURITY;
ALTER TABLE undone FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON undone TO slowwave_app
USING (tenant = (SELECT slowwave_tenant())) WITH CHECK (tenant = (SELECT slowwave_tenant()));
GRANT SELECT, INSERT ON undone TO slowwave_app;
SELECT slowwave_guard_scope('undone', 'scope', '');
