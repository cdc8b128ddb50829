-- Triggers: what of a scope's work was asked for, when a scope was last heard of, and the running topic of a session.
-- Run as slowwave_owner.

ALTER TABLE schedules ADD COLUMN reference TEXT, ADD COLUMN rung TEXT;
COMMENT ON COLUMN schedules.reference IS 'What a shift is measured from: the running segment, or the one consolidated last.';
COMMENT ON COLUMN schedules.rung IS 'The rung of the ladder whose overflow counts; any where it is null.';

ALTER TABLE scope_heads ADD COLUMN touched TIMESTAMP WITH TIME ZONE DEFAULT slowwave_now() NOT NULL;
COMMENT ON COLUMN scope_heads.touched IS 'When the last episode was received.';

ALTER TABLE intents ADD COLUMN upto BIGINT, ADD COLUMN idle_due TIMESTAMP WITH TIME ZONE;
COMMENT ON COLUMN intents.upto IS 'Where only positions up to there were asked for: the rest waits on.';
COMMENT ON COLUMN intents.idle_due IS 'When to look whether the scope has fallen silent.';
DROP INDEX intents_waiting;
CREATE INDEX intents_idle ON intents (pack, idle_due) WHERE state = 'pending' AND NOT hastened;
CREATE INDEX intents_waiting ON intents (pack, due) WHERE state = 'pending' AND (NOT hastened OR upto IS NOT NULL);

CREATE TABLE topics (
	scope UUID NOT NULL,
	session TEXT NOT NULL,
	tenant TEXT NOT NULL,
	number INTEGER NOT NULL,
	first BIGINT NOT NULL,
	recent BIGINT[] NOT NULL,
	before BIGINT[] NOT NULL,
	CONSTRAINT topics_pkey PRIMARY KEY (scope, session)
);
COMMENT ON TABLE topics IS 'The running topic of a session: where it began, its newest events, and those of the topic before it.';

GRANT SELECT, INSERT, UPDATE ON topics TO slowwave_app;
GRANT UPDATE (touched) ON scope_heads TO slowwave_app;
GRANT SELECT (tenant, scope, last) ON segments TO slowwave_dispatch;
GRANT SELECT (tenant, scope, position, received) ON episode_keys TO slowwave_dispatch;
CREATE POLICY every_tenant ON segments FOR SELECT TO slowwave_dispatch USING (true);
CREATE POLICY every_tenant ON episode_keys FOR SELECT TO slowwave_dispatch USING (true);
SELECT slowwave_isolate('topics');
