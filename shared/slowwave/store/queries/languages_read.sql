-- Deletes the unread turns of a run in the languages that the run's pack reads, or all of them if the pack reads any
-- language.
--
-- Served by unread_turns_pkey.
DELETE FROM unread_turns
WHERE
    scope = %(scope)s AND position BETWEEN %(lo)s AND %(hi)s
    AND (%(only)s::bigint[] IS NULL OR position = ANY(%(only)s::bigint[]))
    AND (%(languages)s::text[] IS NULL OR language = ANY(%(languages)s::text[]))
