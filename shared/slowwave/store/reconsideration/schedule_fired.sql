-- True if one of the given schedules fired for a scope after a given time. Acts as dispatch, because no other role sees
-- firings.
--
-- Served by firings_pkey.
SELECT count(*) > 0
FROM firings
WHERE
    schedule = ANY(%(schedules)s::text[]) AND scope = %(scope)s AND tenant = %(tenant)s
    AND (%(after)s::timestamptz IS NULL OR fired > %(after)s::timestamptz)
