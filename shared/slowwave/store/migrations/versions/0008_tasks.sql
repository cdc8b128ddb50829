-- The Celery task that claimed a run. As the owner.

ALTER TABLE runs ADD COLUMN task TEXT;
CREATE INDEX runs_of_task ON runs (task) WHERE task IS NOT NULL;
COMMENT ON COLUMN runs.task IS 'The id of the Celery task that claimed it; null for who works without Celery.';
