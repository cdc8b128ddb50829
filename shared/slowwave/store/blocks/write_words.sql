-- Stores a packed block of words, and replaces the block that was stored before.
--
-- Served by word_blocks_pkey.
INSERT INTO word_blocks (
    scope, block, tenant, received, occurred, sessions, roles, lengths, words, starts, docs, first_user, last_user
)
SELECT
    %(scope)s::uuid AS scope, %(block)s::bigint AS block, slowwave_tenant() AS tenant,
    %(received)b::bytea AS received, %(occurred)b::bytea AS occurred, %(sessions)b::bytea AS sessions,
    %(roles)b::bytea AS roles, %(lengths)b::bytea AS lengths, %(words)b::bytea AS words,
    %(starts)b::bytea AS starts, %(docs)b::bytea AS docs,
    %(first_user)s::text AS first_user, %(last_user)s::text AS last_user
ON CONFLICT (scope, block) DO UPDATE
    SET
        edition = excluded.edition, received = excluded.received, occurred = excluded.occurred,
        sessions = excluded.sessions, roles = excluded.roles, lengths = excluded.lengths, words = excluded.words,
        starts = excluded.starts, docs = excluded.docs, first_user = excluded.first_user,
        last_user = excluded.last_user
