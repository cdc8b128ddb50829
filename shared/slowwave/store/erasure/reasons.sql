-- The reasons that people wrote, and the names beside them: all of a tenant, or those of the given scopes. Of the
-- reasons of deltas, only those of the given packs, of reviews and of promotions by hand, or all.
--
-- One scan of undos, legal_holds, promotions and delta_payloads: people ask for this, and rarely.
SELECT known.place, known.scope, known.id, known.texts
FROM (
    SELECT 'undos.reason' AS place, scope, undo::text AS id, jsonb_build_array(reason) AS texts FROM undos
    UNION ALL
    SELECT 'undos.by_whom', scope, undo::text, jsonb_build_array(by_whom) FROM undos
    UNION ALL
    SELECT 'legal_holds', scope, hold::text, jsonb_build_array(reason) FROM legal_holds
    UNION ALL
    SELECT 'promotions', target, promotion::text, jsonb_build_array(policy -> 'by_hand') FROM promotions
    UNION ALL
    SELECT 'delta_payloads', d.scope, d.id::text, jsonb_build_array(p.payload -> 'reason')
    FROM deltas AS d
    JOIN delta_payloads AS p ON p.delta = d.id
    WHERE
        %(packs)s::text[] IS NULL OR d.pack = ANY(%(packs)s::text[])
        OR d.rule LIKE ANY(ARRAY['review/%%', '%%/by_hand'])
) AS known
WHERE %(scopes)s::uuid[] IS NULL OR known.scope = ANY(%(scopes)s::uuid[])
