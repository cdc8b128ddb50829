-- Model summaries of a scope, by what they are about, with their pending requests and existing replies.
--
-- Served by model_summaries_pkey, model_requests_pkey, model_payloads_pkey and model_replies_used.
SELECT
    t.about, t.session, t.reached, t.covered, t.upto, t.waiting, t.request AS told_by, t.model, t.lines, r.request,
    r.state, r.reason, r.edition, r.positions, r.quotes, r.prompt_tokens, r.most_tokens, p.words, a.raw
FROM model_summaries AS t
LEFT JOIN model_requests AS r ON r.request = t.waiting
LEFT JOIN model_payloads AS p ON p.request = r.request
LEFT JOIN model_replies AS a ON a.request = r.request AND a.n = 0
WHERE t.scope = %(scope)s AND t.about = ANY(%(abouts)s::text[])
ORDER BY t.about
