-- The words of beliefs, by which news of a matter finds those that it changes. As the owner.

CREATE TABLE belief_words (
    scope UUID NOT NULL,
    word BIGINT NOT NULL,
    belief BIGINT NOT NULL,
    tenant TEXT NOT NULL,
    CONSTRAINT belief_words_pkey PRIMARY KEY (scope, word, belief)
);
COMMENT ON TABLE belief_words IS
'The words of each belief that news may change, as keyed digests: words can be guessed.';

ALTER TABLE belief_words ENABLE ROW LEVEL SECURITY;
ALTER TABLE belief_words FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON belief_words TO slowwave_app
USING (tenant = (SELECT slowwave_tenant())) WITH CHECK (tenant = (SELECT slowwave_tenant()));
GRANT SELECT, INSERT ON belief_words TO slowwave_app;
SELECT slowwave_guard_scope('belief_words', 'scope', '');

-- Those that are there already have no words yet: they are looked through one by one.
ALTER TABLE beliefs ADD COLUMN worded BOOLEAN DEFAULT false NOT NULL;
ALTER TABLE beliefs ALTER COLUMN worded SET DEFAULT true;
COMMENT ON COLUMN beliefs.worded IS 'Its words are in belief_words; of one from before that table they are not.';
CREATE INDEX beliefs_wordless ON beliefs (scope) WHERE NOT worded;

-- The delta that ended a version, where its valid time ends with one.
ALTER TABLE facts ADD COLUMN ended_by UUID;
