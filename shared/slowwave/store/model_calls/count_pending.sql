-- The number of pending requests that a window or a job waits for. Counted are the requests in present plans of windows
-- whose pack is in force, each once, and the requests of jobs that read replies without a window.
--
-- Served by model_windows_waiting, packs_pkey, model_chunks_pkey and model_requests_pkey, and by model_requests_alone.
-- Requests of earlier plans and of packs not in force do not count.
SELECT count(*)
FROM (
    SELECT r.request
    FROM model_windows w
    JOIN packs p ON p.pack = w.pack AND p.active
    JOIN model_chunks c ON c.model_window = w.model_window AND c.plan = w.plan
    JOIN model_requests r ON r.request = c.request
    WHERE
        w.state = 'waiting' AND r.state IN ('pending', 'asked')
        AND (%(scope)s::uuid IS NULL OR w.scope = %(scope)s)
    UNION
    SELECT r.request
    FROM model_requests r
    WHERE
        r.pack IN ('_retell', '_reconsider') AND r.state IN ('pending', 'asked')
        AND (%(scope)s::uuid IS NULL OR r.scope = %(scope)s)
) AS waiting
