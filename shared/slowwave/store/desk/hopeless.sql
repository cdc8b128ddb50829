-- Ends requests that were to be cut in two and cannot be.
--
-- Served by model_requests_pkey.
UPDATE model_requests SET state = 'dead', reason = 'its reply cannot be read'
WHERE request = ANY(%(requests)s::text[]) AND state = 'split'
