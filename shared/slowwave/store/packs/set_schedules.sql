-- Stores schedules. An unchanged schedule keeps its state; a changed cron or interval waits for its next window.
--
-- Served by schedules_pkey.
INSERT INTO schedules AS s (
    schedule, tenant, job, pack, kind, every, seconds, cron, zone, missed, threshold, min_events, reference, rung
)
SELECT
    entered.name, %(tenant)s, entered.job, entered.pack, entered.kind, entered.every, entered.seconds, entered.cron,
    entered.zone, entered.missed,
    entered.threshold, entered.min_events, entered.reference, entered.tier
FROM
    jsonb_to_recordset(%(schedules)s::jsonb) AS entered (
        name text, job text, pack text, kind text, every int, seconds float8, cron text, zone text, missed text,
        threshold float8, min_events int, reference text, tier text
    )
ORDER BY entered.name
ON CONFLICT (schedule) DO UPDATE
    SET
        kind = excluded.kind, every = excluded.every, seconds = excluded.seconds, cron = excluded.cron,
        zone = excluded.zone,
        missed = excluded.missed,
        threshold = excluded.threshold,
        min_events = excluded.min_events,
        reference = excluded.reference, rung = excluded.rung,
        next_due = CASE
            WHEN (s.cron, s.zone, s.seconds) IS NOT DISTINCT FROM (excluded.cron, excluded.zone, excluded.seconds)
                THEN s.next_due
        END
    WHERE (s.kind, s.every, s.seconds, s.cron, s.zone, s.missed, s.threshold, s.min_events, s.reference, s.rung)
    IS DISTINCT FROM (
        excluded.kind, excluded.every, excluded.seconds, excluded.cron, excluded.zone, excluded.missed,
        excluded.threshold, excluded.min_events, excluded.reference, excluded.rung
    )
