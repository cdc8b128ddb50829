-- The batches that are past their deadline, locked for this worker.
--
-- Served by model_batches_open.
SELECT batch FROM model_batches
WHERE state = 'made' AND until < slowwave_now()
ORDER BY batch
LIMIT 100
FOR UPDATE SKIP LOCKED
