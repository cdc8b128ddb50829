-- The model calls that ended in some nights, by night: their number, tokens and millionths of currency.
--
-- Served by model_calls_day (tenant, day): a call belongs to the day on which it began, and takes less than a day.
SELECT
    floor(extract(EPOCH FROM finished - %(since)s) / 86400)::integer AS night, count(*) AS calls,
    coalesce(sum(spent_tokens), 0)::bigint AS tokens, coalesce(sum(spent_micros), 0)::bigint AS micros
FROM model_calls
WHERE
    tenant = %(tenant)s
    AND day BETWEEN (%(since)s AT TIME ZONE 'UTC')::date - 1 AND (%(until)s AT TIME ZONE 'UTC')::date
    AND finished >= %(since)s AND finished < %(until)s
GROUP BY night
ORDER BY night
