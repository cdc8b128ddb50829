-- Goals, and what agents agreed on or did not. Run as slowwave_owner.

CREATE TABLE goals (
	scope UUID NOT NULL,
	goal UUID NOT NULL,
	tenant TEXT NOT NULL,
	parent UUID,
	description TEXT NOT NULL,
	status TEXT DEFAULT 'active' NOT NULL,
	priority INTEGER DEFAULT 0 NOT NULL,
	created TIMESTAMP WITH TIME ZONE DEFAULT slowwave_now() NOT NULL,
	completed TIMESTAMP WITH TIME ZONE,
	deadline TIMESTAMP WITH TIME ZONE,
	result TEXT,
	space SMALLINT,
	embedding VECTOR,
	CONSTRAINT goals_pkey PRIMARY KEY (scope, goal),
	CONSTRAINT goals_status_check CHECK (status IN ('active', 'completed', 'abandoned', 'blocked')),
	CONSTRAINT goals_completed_check CHECK ((completed IS NOT NULL) = (status IN ('completed', 'abandoned'))),
	CONSTRAINT goals_embedding_check CHECK ((space IS NULL) = (embedding IS NULL))
);
CREATE INDEX goals_of_status ON goals (scope, status);
COMMENT ON TABLE goals IS 'What an agent is to achieve for a user, and what came of it.';

CREATE TABLE consensus (
	scope UUID NOT NULL,
	record UUID NOT NULL,
	tenant TEXT NOT NULL,
	stance TEXT NOT NULL,
	topic TEXT NOT NULL,
	topic_hash TEXT NOT NULL,
	statement TEXT NOT NULL,
	agents TEXT[] NOT NULL,
	confidence DOUBLE PRECISION NOT NULL,
	reason TEXT DEFAULT '' NOT NULL,
	metadata JSONB DEFAULT '{}'::jsonb NOT NULL,
	decided TIMESTAMP WITH TIME ZONE DEFAULT slowwave_now() NOT NULL,
	space SMALLINT,
	embedding VECTOR,
	CONSTRAINT consensus_pkey PRIMARY KEY (scope, record),
	CONSTRAINT consensus_stance_check CHECK (stance IN ('consensus', 'dissent')),
	CONSTRAINT consensus_confidence_check CHECK (confidence >= 0 AND confidence <= 1),
	CONSTRAINT consensus_embedding_check CHECK ((space IS NULL) = (embedding IS NULL))
);
CREATE INDEX consensus_topic ON consensus (scope, topic_hash);
COMMENT ON TABLE consensus IS 'What agents agreed on, and who did not. Append-only by grant.';

GRANT SELECT, INSERT ON goals, consensus TO slowwave_app;
GRANT UPDATE (status, completed, result) ON goals TO slowwave_app;

SELECT slowwave_isolate('goals'), slowwave_isolate('consensus');
