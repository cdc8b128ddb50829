-- Marks the reply of a call as the one in use, and its request as answered.
--
-- Served by model_replies_pkey and model_requests_pkey.
WITH used AS (
    UPDATE model_replies SET n = 0 WHERE call = %(call)s
)
UPDATE model_requests SET state = 'answered' WHERE request = %(request)s
