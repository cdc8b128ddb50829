-- The first decisions about the undone claims of a scope. Claims that only the undos *but* leave out do not
-- count.
--
-- Served by undos_pkey and undone_pkey.
SELECT DISTINCT u.delta
FROM undos o
JOIN undone u ON u.scope = o.scope AND u.undo = o.undo
WHERE
    o.scope = %(scope)s AND o.applied IS NOT NULL AND o.lifted IS NULL
    AND o.undo <> ALL(%(but)s::uuid[])
