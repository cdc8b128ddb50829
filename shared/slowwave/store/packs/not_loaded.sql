-- The packs for episodes that are active or have run, without those in *loaded*.
--
-- One scan of packs: a few rows. Each inactive pack costs a scan of runs; the statement is for people, and no job runs
-- it.
SELECT pack
FROM packs AS p
WHERE
    job = ANY(%(jobs)s) AND pack <> ALL(%(loaded)s)
    AND (active OR EXISTS (SELECT FROM runs AS r WHERE r.pack = p.pack))
ORDER BY pack
