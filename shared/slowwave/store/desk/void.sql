-- Lets go of pending requests that no waiting window asks any more.
--
-- Served by model_requests_pkey and model_chunks_request. What was asked or paid stays.
UPDATE model_requests r
SET state = 'void'
WHERE
    r.request = ANY(%(requests)s::text[]) AND r.state = 'pending'
    AND NOT EXISTS (
        SELECT FROM model_chunks c JOIN model_windows w USING (model_window, plan)
        WHERE c.request = r.request AND w.state = 'waiting'
    )
