-- A free slot, locked for this sender: its number is within the breaker's width, and fewer slots than that are in use.
--
-- Served by model_slots_pkey and model_breakers_pkey. A breaker that is open for more than twice the longest wait
-- counts as closed: the clock went back.
SELECT s.slot
FROM model_slots s
JOIN model_breakers b USING (provider)
WHERE
    s.provider = %(provider)s AND s.call IS NULL AND s.slot <= least(b.width, %(slots)s)
    AND (
        b.open_until <= slowwave_now()
        OR b.open_until > slowwave_now() + make_interval(secs => 2 * %(longest)s)
    )
    AND (
        SELECT count(*) FROM model_slots busy WHERE busy.provider = s.provider AND busy.call IS NOT NULL
    ) < least(b.width, %(slots)s)
ORDER BY s.slot
LIMIT 1
FOR UPDATE OF s SKIP LOCKED
