-- Adds counts to the counts of this hour. Rows are in order of the key, so that two writers never deadlock.
--
-- Served by tallies_pkey.
INSERT INTO tallies (tenant, name, hour, bucket, count)
SELECT slowwave_tenant(), name, date_trunc('hour', slowwave_now(), 'UTC'), bucket, count
FROM unnest(%(names)s::text[], %(buckets)s::smallint[], %(counts)s::bigint[]) AS new (name, bucket, count)
ON CONFLICT (tenant, name, hour, bucket) DO UPDATE SET count = tallies.count + excluded.count;
