-- The states of requests, as far as they are there.
--
-- Served by model_requests_pkey.
SELECT request, state FROM model_requests WHERE request = ANY(%(requests)s::text[])
