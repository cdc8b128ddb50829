-- Faults of ours: how many in a row a window has met, and when, so that it is tried again after ever longer. As the owner.

ALTER TABLE intents ADD COLUMN faults INTEGER DEFAULT 0 NOT NULL;
ALTER TABLE intents ADD COLUMN faulted TIMESTAMP WITH TIME ZONE;
COMMENT ON COLUMN intents.faulted IS 'When a fault of ours last ended an attempt; `faults` counts them in a row.';
CREATE INDEX runs_failed ON runs (finished) WHERE outcome IN ('faulted', 'narrowed');
