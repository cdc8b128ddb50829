-- Pending model requests of some tenants, counted up to a limit, and how many are being asked.
--
-- Served by model_requests_pending and, for running calls, by model_slots, which are few; acts as dispatch.
SELECT
    (
        SELECT count(*) FROM (
            SELECT FROM model_requests WHERE tenant = ANY(%(tenants)s::text[]) AND state = 'pending' LIMIT %(most)s
        ) AS pending
    ) AS pending,
    (SELECT count(*) FROM model_slots WHERE call IS NOT NULL AND until > (SELECT slowwave_now())) AS asked
