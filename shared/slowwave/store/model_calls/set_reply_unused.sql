-- Marks a reply as unused, with a number, and stores the complaint about this reply.
--
-- Served by model_replies_pkey and model_replies_request.
UPDATE model_replies
SET
    n = (
        SELECT coalesce(max(o.n), 0) + 1 FROM model_replies o WHERE o.request = %(request)s
    ),
    complaint = %(complaint)s
WHERE call = %(call)s
