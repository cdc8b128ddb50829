-- Jobs of this installation that are not registered, and active packs that no schedule makes due.
--
-- One scan of packs and schedules: a few rows each. Pushes create intents for the jobs in %(asked)s.
SELECT NULL::uuid AS scope, 'job ' || job AS subject
FROM unnest(%(jobs)s::text[]) AS job
WHERE NOT EXISTS (SELECT FROM packs p WHERE p.job = job.job AND p.active)
UNION ALL
SELECT NULL, 'pack ' || p.pack
FROM packs p
WHERE
    p.active AND p.job <> ALL(%(asked)s::text[])
    AND NOT EXISTS (SELECT FROM schedules s WHERE s.pack = p.pack AND s.job = p.job AND s.kind <> 'manual')
UNION ALL
SELECT NULL, 'schedule ' || s.schedule
FROM schedules s
WHERE s.kind <> 'manual' AND NOT EXISTS (SELECT FROM packs p WHERE p.pack = s.pack AND p.active)
LIMIT %(most)s
