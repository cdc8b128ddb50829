-- True if one of some schedules fired for a scope after a given time. As dispatch: no other role sees firings.
--
-- Served by firings_pkey.
SELECT count(*) > 0
FROM firings
WHERE
    schedule = ANY(%(schedules)s::text[]) AND scope = %(scope)s AND tenant = %(tenant)s
    AND (%(after)s::timestamptz IS NULL OR fired > %(after)s::timestamptz)
