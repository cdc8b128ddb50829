-- Five hundred users, each with three scopes of memories and facts; a few are due for promotion.
INSERT INTO scope_heads (scope, tenant, user_id, agent, channel)
SELECT gen_random_uuid(), 'default', 'user' || u, 'agent', channel
FROM generate_series(1, 500) AS u, unnest(ARRAY['_global', 'a', 'b']) AS channel;
INSERT INTO standing (scope, memory, tenant, kind, tier, base, created, promote_due)
SELECT h.scope, gen_random_uuid(), 'default', 'semantic', 'warm', 1, slowwave_now(),
    CASE WHEN n = 1 AND user_id LIKE 'user7%' THEN slowwave_now() END
FROM scope_heads h, generate_series(1, 20) AS n WHERE channel <> '_global';
INSERT INTO promotions (tenant, target, fact, source_scope, source_fact, confirmed, policy, promoted, due)
SELECT 'default', h.scope, gen_random_uuid(), h.scope, gen_random_uuid(), false, '{}', slowwave_now(),
    CASE WHEN n = 1 AND user_id LIKE 'user7%' THEN slowwave_now() END
FROM scope_heads h, generate_series(1, 20) AS n WHERE channel = '_global';
INSERT INTO beliefs (scope, tenant, digest) SELECT scope, 'default', uuid_send(scope) FROM scope_heads;
INSERT INTO facts (scope, tenant, fact, belief, subject, predicate, object, single_valued, valid, recorded, confidence,
    rule, position, session, text)
SELECT b.scope, 'default', gen_random_uuid(), b.belief, 'user', 'likes', 'x' || n, false,
    tstzrange('2026-01-01'::timestamptz + n * interval '1 day', '2026-01-02'::timestamptz + n * interval '1 day'),
    tstzrange(slowwave_now(), NULL), 1, 'r', n, 's', 'user likes x' || n
FROM beliefs b, generate_series(1, 20) AS n;
