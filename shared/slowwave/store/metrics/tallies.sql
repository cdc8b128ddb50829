-- The hourly counts of a tenant since midnight, summed by name and bucket.
--
-- Served by tallies_pkey.
SELECT name, bucket, sum(count)::bigint AS number
FROM tallies
WHERE
    tenant = %(tenant)s AND name = ANY(%(names)s::text[])
    AND hour >= %(midnight)s
GROUP BY name, bucket
