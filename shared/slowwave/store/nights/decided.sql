-- The deltas of a night by what they came to, the last ones of it: how many, and of each kind the latest as examples.
--
-- At most so many deltas are looked at, however many the night had. What was promoted, has faded or was archived is
-- known by its pack; a claim that corrects, ends or forgets contradicts. Served by deltas_in_order, backwards;
-- delta_payloads_pkey, scope_heads_pkey and facts_of_delta for the examples alone.
WITH latest AS MATERIALIZED (
    SELECT
        id, scope, rule, confidence, recorded, replaces, kind = 'delete' AS ended,
        CASE
            WHEN kind = 'noop' THEN 'confirmed'
            WHEN pack = '_promote' AND kind = 'add' THEN 'promoted'
            WHEN pack = '_decay' THEN 'faded'
            WHEN pack = '_archive' THEN 'archived'
            WHEN kind = 'add' THEN 'learned'
            WHEN mode IN ('correct', 'end', 'forget') THEN 'contradicted'
            WHEN kind = 'update' THEN 'changed'
            ELSE 'withdrawn'
        END AS what
    FROM deltas
    WHERE tenant = %(tenant)s AND recorded >= %(since)s AND recorded < %(until)s
    ORDER BY recorded DESC, id DESC
    LIMIT %(most)s
), ranked AS (
    SELECT
        id, scope, rule, confidence, recorded, replaces, ended, what,
        count(*) OVER (PARTITION BY what) AS number,
        row_number() OVER (PARTITION BY what ORDER BY recorded DESC, id DESC) AS place
    FROM latest
)
SELECT
    r.what, r.number, r.ended, p.payload, r.rule, r.confidence, r.recorded, h.tenant, h.user_id, h.agent, h.channel,
    (SELECT f.text FROM facts f WHERE f.fact = r.replaces[1] ORDER BY f.version LIMIT 1) AS before
FROM ranked r
JOIN scope_heads h ON h.scope = r.scope
LEFT JOIN delta_payloads p ON p.delta = r.id
WHERE r.place <= %(examples)s
ORDER BY r.what, r.place
