-- Marks an order as carried out in a scope by a run, up to the scope's last recorded time. Lifts the orders that this
-- order takes back.
--
-- Served by undos_pkey and scope_leases_pkey.
WITH told AS (SELECT last_recorded AS at FROM scope_leases WHERE scope = %(scope)s),
lifted AS (
    UPDATE undos SET lifted = told.at FROM told WHERE scope = %(scope)s AND undo = ANY(%(lifted)s::uuid[])
)
UPDATE undos SET run = %(run)s, applied = told.at FROM told WHERE scope = %(scope)s AND undo = %(undo)s
