-- The waiting windows of a request, locked in order of number. Of two replies at the same time, the later reply then
-- sees the earlier reply.
--
-- Served by model_chunks_request and model_windows_pkey.
SELECT w.model_window
FROM model_windows w
WHERE
    w.state = 'waiting'
    AND EXISTS (
        SELECT FROM model_chunks c
        WHERE c.request = %(request)s AND c.model_window = w.model_window AND c.plan = w.plan
    )
ORDER BY w.model_window
FOR UPDATE OF w
