-- Ends requests that were marked for splitting and cannot be split.
--
-- Served by model_requests_pkey.
UPDATE model_requests SET state = 'dead', reason = 'its reply cannot be read'
WHERE request = ANY(%(requests)s::text[]) AND state = 'split'
