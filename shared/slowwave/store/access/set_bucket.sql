-- Stores the present level of a key's token bucket for a verb.
--
-- Served by api_buckets_pkey.
INSERT INTO api_buckets (key, verb, tenant, level) VALUES (%(key)s, %(verb)s, %(tenant)s, %(level)s)
ON CONFLICT (key, verb) DO UPDATE SET level = excluded.level, seen = excluded.seen;
