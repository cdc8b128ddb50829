-- Tallies of the last hours, by name and bucket.
--
-- Served by tallies_pkey.
SELECT name, bucket, sum(count)::bigint AS count
FROM tallies
WHERE
    tenant = %(tenant)s AND name = ANY(%(names)s::text[])
    AND hour > slowwave_now() - make_interval(hours => %(hours)s + 1)
GROUP BY name, bucket;
