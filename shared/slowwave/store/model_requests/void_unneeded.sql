-- Voids pending requests that no waiting window needs any more.
--
-- Served by model_requests_pkey and model_chunks_request. Requests that were sent or paid are not changed.
UPDATE model_requests r
SET state = 'void'
WHERE
    r.request = ANY(%(requests)s::text[]) AND r.state = 'pending'
    AND NOT EXISTS (
        SELECT FROM model_chunks c JOIN model_windows w USING (model_window, plan)
        WHERE c.request = r.request AND w.state = 'waiting'
    )
