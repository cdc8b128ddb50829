-- Ends the chunk of a window's present plan that covers a position, because reading the chunk's reply crashes workers.
--
-- Served by model_chunks_pkey and model_requests_pkey.
UPDATE model_requests r
SET state = 'dead', reason = %(reason)s
FROM model_chunks c
JOIN model_windows w USING (model_window, plan)
WHERE
    w.model_window = %(model_window)s AND c.request = r.request AND r.state = 'answered'
    AND r.positions @> ARRAY[%(position)s::bigint]
