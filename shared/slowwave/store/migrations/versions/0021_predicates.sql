-- The predicates in force, and the way to those a tenant has facts of. As the owner.

CREATE TABLE predicates (
    predicate text NOT NULL,
    tenant text NOT NULL,
    single_valued boolean NOT NULL,
    said_by text NOT NULL,
    CONSTRAINT predicates_pkey PRIMARY KEY (predicate)
);
COMMENT ON TABLE predicates IS
'How many values each predicate holds, by each of its names, as those were told who wrote facts of it.';

ALTER TABLE predicates ENABLE ROW LEVEL SECURITY;
ALTER TABLE predicates FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant_or_system ON predicates TO slowwave_app
USING (tenant IN ((SELECT slowwave_tenant()), '_system'))
WITH CHECK (tenant IN ((SELECT slowwave_tenant()), '_system'));
CREATE POLICY every_tenant ON predicates TO slowwave_dispatch USING (true) WITH CHECK (true);
GRANT SELECT ON predicates TO slowwave_app;
GRANT SELECT, INSERT, DELETE ON predicates TO slowwave_dispatch;
GRANT UPDATE (single_valued, said_by) ON predicates TO slowwave_dispatch;

CREATE INDEX facts_open_predicates ON facts (tenant, predicate, single_valued)
WHERE upper_inf(recorded) AND form = 'typed';
