-- Tenants with deltas that were recorded after their last seal, but before the last successful run of the job seal.
--
-- Served by runs_finished, tenant_seals_pkey and deltas_in_order.
SELECT NULL::uuid AS scope, 'tenant ' || t.tenant AS subject
FROM tenants AS t
CROSS JOIN (
    SELECT max(r.started) AS started
    FROM runs AS r
    WHERE r.outcome = 'ok' AND r.job = %(seal)s AND r.started > (SELECT applied FROM revisions WHERE version = '0006')
) AS last
WHERE
    EXISTS (
        SELECT
        FROM deltas AS d
        WHERE
            d.tenant = t.tenant
            AND d.recorded < last.started
            AND d.recorded > coalesce(
                (SELECT max(s.made) FROM tenant_seals AS s WHERE s.tenant = t.tenant), '-infinity'::timestamptz
            )
    )
LIMIT %(most)s
