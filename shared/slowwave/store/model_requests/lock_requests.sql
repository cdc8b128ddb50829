-- Locks requests, including those of a window's present plan, in key order.
--
-- Served by model_requests_pkey and model_chunks_pkey.
SELECT r.request, r.state
FROM model_requests r
WHERE
    r.request = ANY(%(requests)s::text[])
    OR r.request IN (
        SELECT c.request FROM model_chunks c JOIN model_windows w USING (model_window, plan)
        WHERE w.model_window = %(model_window)s
    )
ORDER BY r.request
FOR UPDATE OF r
