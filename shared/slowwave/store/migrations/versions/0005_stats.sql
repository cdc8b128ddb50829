-- Statistics: what is counted by the hour. Run as slowwave_owner.

CREATE TABLE tallies (
	tenant TEXT NOT NULL,
	name TEXT NOT NULL,
	hour TIMESTAMP WITH TIME ZONE NOT NULL,
	bucket SMALLINT DEFAULT 0 NOT NULL,
	count BIGINT NOT NULL,
	CONSTRAINT tallies_pkey PRIMARY KEY (tenant, name, hour, bucket)
)
 WITH (fillfactor = 50);
COMMENT ON TABLE tallies IS 'What happened how often in an hour; of durations also in which bucket of the histogram.';

GRANT SELECT, INSERT, UPDATE ON tallies TO slowwave_app;
SELECT slowwave_isolate('tallies');
