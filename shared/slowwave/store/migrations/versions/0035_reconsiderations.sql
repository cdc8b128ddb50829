-- The news of a scope that a model was asked about, by time. As the owner.

CREATE TABLE reconsiderations (
    scope UUID NOT NULL,
    tenant TEXT NOT NULL,
    told TIMESTAMP WITH TIME ZONE,
    since TIMESTAMP WITH TIME ZONE,
    waiting TEXT,
    CONSTRAINT reconsiderations_pkey PRIMARY KEY (scope)
);
COMMENT ON TABLE reconsiderations IS
'Up to when a model was asked which beliefs of a scope hold no longer beside what was learned.';
COMMENT ON COLUMN reconsiderations.told IS 'What was recorded up to then it was asked about.';
COMMENT ON COLUMN reconsiderations.since IS 'The same before it was asked last.';
COMMENT ON COLUMN reconsiderations.waiting IS 'The request whose reply is to be read.';

ALTER TABLE reconsiderations ENABLE ROW LEVEL SECURITY;
ALTER TABLE reconsiderations FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON reconsiderations TO slowwave_app
USING (tenant = (SELECT slowwave_tenant())) WITH CHECK (tenant = (SELECT slowwave_tenant()));
GRANT SELECT, INSERT ON reconsiderations TO slowwave_app;
GRANT UPDATE (told, since, waiting) ON reconsiderations TO slowwave_app;
SELECT slowwave_guard_scope('reconsiderations', 'scope', '');

CREATE INDEX dead_letters_conflicts ON dead_letters (scope, pack) WHERE category = 'conflict';
DROP INDEX model_requests_of_summaries;
CREATE INDEX model_requests_alone ON model_requests (scope) WHERE
pack IN ('_retell', '_reconsider') AND state IN ('pending', 'asked');
