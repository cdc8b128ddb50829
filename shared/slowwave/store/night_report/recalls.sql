-- The recalls of some nights, by night, name and bucket of the duration histogram.
--
-- Served by tallies_pkey, one name at a time.
SELECT
    floor(extract(EPOCH FROM hour - %(since)s) / 86400)::integer AS night, name, bucket, sum(count)::bigint AS number
FROM tallies
WHERE tenant = %(tenant)s AND name = ANY(%(names)s::text[]) AND hour >= %(since)s AND hour < %(until)s
GROUP BY night, name, bucket
ORDER BY night, name, bucket
