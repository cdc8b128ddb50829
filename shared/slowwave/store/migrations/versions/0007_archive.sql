-- The archive: when a conversation was last touched, when an entity is to be looked at, and what is held. As the owner.

ALTER TABLE conversations ADD COLUMN touched TIMESTAMP WITH TIME ZONE DEFAULT slowwave_now() NOT NULL;
DROP INDEX conversations_last;
DROP INDEX conversations_archived;
CREATE INDEX conversations_archived ON conversations (tenant, slice, touched) WHERE archived IS NOT NULL;
CREATE INDEX conversations_hidden ON conversations (scope) WHERE archived IS NOT NULL OR tombstoned IS NOT NULL;
CREATE INDEX conversations_open ON conversations (tenant, slice, touched) WHERE archived IS NULL;
COMMENT ON COLUMN conversations.touched IS 'When it last got an episode, or was brought back. Its age for the archive.';
COMMENT ON COLUMN conversations.archived IS 'What was received up to then is left out of default recall.';
COMMENT ON COLUMN conversations.tombstoned IS 'What was received up to then is given up, and its partition may be dropped.';

ALTER TABLE entities ADD COLUMN due TIMESTAMP WITH TIME ZONE;
DROP INDEX entities_faded;
CREATE INDEX entities_due ON entities (tenant, slice, due) WHERE due IS NOT NULL;
COMMENT ON COLUMN entities.due IS 'When the archive looks at it next; null while a fact about it is held.';

CREATE INDEX delta_sources_origin ON delta_sources (origin) WHERE origin IS NOT NULL;

GRANT SELECT (scope, touched) ON conversations TO slowwave_dispatch;
GRANT SELECT (scope, due) ON entities TO slowwave_dispatch;
GRANT SELECT (tenant, scope, released) ON holds TO slowwave_dispatch;
GRANT SELECT (kind, created, last_access, reinforced) ON standing TO slowwave_dispatch;
CREATE POLICY every_tenant ON holds TO slowwave_dispatch USING (true);

-- The conversations of before. Row-level security binds the owner too, so it steps aside meanwhile.

ALTER TABLE conversations NO FORCE ROW LEVEL SECURITY;
ALTER TABLE episodes NO FORCE ROW LEVEL SECURITY;
ALTER TABLE watermarks NO FORCE ROW LEVEL SECURITY;
INSERT INTO conversations (scope, session, tenant, first_at, last_at, episodes, touched)
SELECT e.scope, e.session, e.tenant, min(e.occurred), max(e.occurred), count(*), max(e.received)
FROM episodes e JOIN watermarks w ON w.scope = e.scope AND w.pack = '_prepare' AND e.position <= w.position
GROUP BY e.scope, e.session, e.tenant
ON CONFLICT DO NOTHING;
ALTER TABLE conversations FORCE ROW LEVEL SECURITY;
ALTER TABLE episodes FORCE ROW LEVEL SECURITY;
ALTER TABLE watermarks FORCE ROW LEVEL SECURITY;
