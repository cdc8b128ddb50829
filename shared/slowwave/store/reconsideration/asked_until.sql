-- The times up to which a model was asked about new facts of a run's scope, the unread request, and the reply to this
-- request.
--
-- Served by runs_pkey, reconsiderations_pkey, model_requests_pkey, model_payloads_pkey and model_replies_used.
SELECT
    n.started AS now, s.told, s.since, s.waiting, r.request, r.state, r.reason, r.edition, r.positions, r.quotes,
    r.prompt_tokens, r.most_tokens, p.words, a.raw
FROM runs AS n
LEFT JOIN reconsiderations AS s ON s.scope = n.scope
LEFT JOIN model_requests AS r ON r.request = s.waiting
LEFT JOIN model_payloads AS p ON p.request = r.request
LEFT JOIN model_replies AS a ON a.request = r.request AND a.n = 0
WHERE n.run = %(run)s
