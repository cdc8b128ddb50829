-- Lets go of the turns of a run whose languages its pack reads, or of all where it reads any.
--
-- Served by unread_turns_pkey.
DELETE FROM unread_turns
WHERE
    scope = %(scope)s AND position BETWEEN %(lo)s AND %(hi)s
    AND (%(only)s::bigint[] IS NULL OR position = ANY(%(only)s::bigint[]))
    AND (%(languages)s::text[] IS NULL OR language = ANY(%(languages)s::text[]))
