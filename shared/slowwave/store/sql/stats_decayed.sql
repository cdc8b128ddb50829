-- What the decay job counted, a day: facts and entities that fell, and memories it looked at.
--
-- Served by runs_finished (finished) WHERE outcome = 'ok'.
SELECT date_trunc('day', r.finished, 'UTC')::date AS day, c.key AS what, sum(c.value::bigint)::bigint AS number
FROM runs r, jsonb_each_text(r.counts) c
WHERE r.tenant = %(tenant)s AND r.job = 'decay' AND r.outcome = 'ok'
  AND r.finished > slowwave_now() - make_interval(days => %(days)s) AND c.value ~ '^[0-9]+$'
GROUP BY day, what
ORDER BY day, what;
