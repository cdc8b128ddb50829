-- Beliefs and facts: the fold of the ledger.

CREATE TABLE beliefs (
    belief bigint GENERATED ALWAYS AS IDENTITY,
    scope uuid NOT NULL,
    tenant text NOT NULL,
    digest bytea NOT NULL,
    worded boolean DEFAULT true NOT NULL,
    CONSTRAINT beliefs_pkey PRIMARY KEY (belief),
    CONSTRAINT beliefs_scope_digest_key UNIQUE (scope, digest)
);
COMMENT ON TABLE beliefs IS 'A number for each belief. The digest is keyed, because facts can be guessed.';
COMMENT ON COLUMN beliefs.worded IS 'True if its words are in belief_words; false for beliefs older than that table.';
CREATE INDEX beliefs_wordless ON beliefs (scope) WHERE NOT worded;
SELECT slowwave_isolate('beliefs'), slowwave_guard_scope('beliefs', 'scope', '');
GRANT SELECT, INSERT ON beliefs TO slowwave_app;

CREATE TABLE belief_words (
    scope uuid NOT NULL,
    word bigint NOT NULL,
    belief bigint NOT NULL,
    tenant text NOT NULL,
    CONSTRAINT belief_words_pkey PRIMARY KEY (scope, word, belief)
);
COMMENT ON TABLE belief_words IS
    'The words of each belief that news may change, as keyed digests: words can be guessed.';
SELECT slowwave_isolate('belief_words'), slowwave_guard_scope('belief_words', 'scope', '');
GRANT SELECT, INSERT ON belief_words TO slowwave_app;

CREATE FUNCTION slowwave_refuse_rewriting() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE insufficient_privilege USING MESSAGE = 'what was recorded of a belief is closed once and changed by nobody';
END $$;
COMMENT ON FUNCTION slowwave_refuse_rewriting() IS 'Refuses the write it is called for.';

-- Only the end of a version may be written, and only once: closed_once allows no other change of a row.
--
-- A belief has one live version. The constraint compares only open versions, because an index of all versions takes two
-- thirds of the time of an insert. `slowwave check` compares closed versions, too.
CREATE TABLE facts (
    version bigint GENERATED ALWAYS AS IDENTITY,
    scope uuid NOT NULL,
    tenant text NOT NULL,
    fact uuid NOT NULL,
    belief bigint NOT NULL,
    subject text NOT NULL,
    predicate text NOT NULL,
    object text NOT NULL,
    single_valued boolean NOT NULL,
    valid tstzrange NOT NULL,
    recorded tstzrange NOT NULL,
    confidence double precision NOT NULL,
    rule text NOT NULL,
    position bigint NOT NULL,
    session text NOT NULL,
    form text DEFAULT 'typed' NOT NULL,
    text text NOT NULL,
    tense text DEFAULT 'current' NOT NULL,
    terms tsvector GENERATED ALWAYS AS (to_tsvector('english'::regconfig, text)) STORED,
    ended_by uuid,
    CONSTRAINT facts_pkey PRIMARY KEY (version),
    CONSTRAINT facts_confidence_check CHECK (confidence >= 0 AND confidence <= 1),
    CONSTRAINT facts_ranges_check CHECK (NOT isempty(valid) AND NOT isempty(recorded)),
    CONSTRAINT facts_form_check CHECK (form IN ('typed', 'statement')),
    CONSTRAINT facts_tense_check CHECK (tense IN ('current', 'past', 'future')),
    CONSTRAINT facts_one_live_version
        EXCLUDE USING gist (int8range(belief, belief, '[]') WITH &&, valid WITH &&) WHERE (upper_inf(recorded))
);
COMMENT ON TABLE facts IS 'Facts: versions that open and close in valid and in recorded time. The fold of the ledger.';
CREATE INDEX facts_of_delta ON facts (fact);
CREATE INDEX facts_open ON facts (scope, belief) WHERE upper_inf(recorded);
CREATE INDEX facts_open_recent ON facts (scope, position) WHERE upper_inf(recorded);
CREATE INDEX facts_open_predicates ON facts (tenant, predicate, single_valued)
    WHERE upper_inf(recorded) AND form = 'typed';
CREATE INDEX facts_summaries ON facts (scope, session)
    WHERE predicate = 'summary' AND upper_inf(recorded) AND upper_inf(valid);
CREATE INDEX facts_of_belief ON facts (belief);
CREATE TRIGGER closed_once BEFORE UPDATE OF recorded ON facts FOR EACH ROW
WHEN (lower(NEW.recorded) IS DISTINCT FROM lower(OLD.recorded) OR NOT upper_inf(OLD.recorded))
EXECUTE FUNCTION slowwave_refuse_rewriting();
SELECT slowwave_isolate('facts'), slowwave_guard_scope('facts', 'scope', '');
GRANT SELECT, INSERT, UPDATE (recorded) ON facts TO slowwave_app;

CREATE TABLE reconsiderations (
    scope uuid NOT NULL,
    tenant text NOT NULL,
    told timestamptz,
    since timestamptz,
    waiting text,
    CONSTRAINT reconsiderations_pkey PRIMARY KEY (scope)
);
COMMENT ON TABLE reconsiderations IS 'How far a model was asked which facts of a scope the newer facts have ended.';
COMMENT ON COLUMN reconsiderations.told IS 'The model was asked about everything recorded up to this time.';
COMMENT ON COLUMN reconsiderations.since IS 'The value of told before the last request.';
COMMENT ON COLUMN reconsiderations.waiting IS 'The request whose reply has not been read yet.';
SELECT slowwave_isolate('reconsiderations'), slowwave_guard_scope('reconsiderations', 'scope', '');
GRANT SELECT, INSERT, UPDATE (told, since, waiting) ON reconsiderations TO slowwave_app;
