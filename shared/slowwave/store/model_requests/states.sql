-- The states of the given requests, if they exist.
--
-- Served by model_requests_pkey.
SELECT request, state FROM model_requests WHERE request = ANY(%(requests)s::text[])
