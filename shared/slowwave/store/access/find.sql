-- The key with this hash, unless the key is revoked, and the key's token bucket for a verb, which is locked. The bucket
-- has the stored level, and the seconds since that level was stored.
--
-- Served by api_keys_hash_key and api_buckets_pkey.
SELECT
    k.key, k.tenant, k.verbs, b.level,
    extract(EPOCH FROM slowwave_now() - b.seen)::float8 AS seconds
FROM api_keys k
LEFT JOIN LATERAL (
    SELECT level, seen FROM api_buckets WHERE key = k.key AND verb = %(verb)s FOR UPDATE
) b ON true
WHERE k.hash = %(hash)s AND k.revoked IS NULL;
