-- Inserts sightings of possible patterns, once per pattern and bucket.
--
-- Served by sightings_pkey.
INSERT INTO sightings (scope, pattern, bucket, tenant, sources)
SELECT %(scope)s, pattern, bucket, slowwave_tenant(), sources
FROM unnest(%(patterns)s::uuid[], %(buckets)s::text[], %(sources)s::jsonb[]) AS new (pattern, bucket, sources)
ON CONFLICT (scope, pattern, bucket) DO UPDATE SET sources = excluded.sources
