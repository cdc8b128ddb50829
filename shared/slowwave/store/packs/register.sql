-- Stores one schedule. An unchanged schedule keeps its state; a changed cron or interval waits for its next window.
--
-- Served by schedules_pkey.
INSERT INTO schedules AS s (
    schedule, tenant, job, pack, kind, every, seconds, cron, zone, missed, threshold, min_events, reference, rung
)
VALUES (
    %(schedule)s, %(tenant)s, %(job)s, %(pack)s, %(kind)s, %(every)s, %(seconds)s, %(cron)s, %(zone)s, %(missed)s,
    %(threshold)s, %(min_events)s, %(reference)s, %(tier)s
)
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
