-- Episodes of three or more scopes that became dead letters within an hour for the same fault, or vanished workers.
--
-- One scan of the open rows of dead_letters. So many episodes rarely cause the same error, so a defect is likelier.
SELECT
    NULL::uuid AS scope,
    count(*) || ' dead letters of ' || count(DISTINCT scope) || ' scopes alike: '
    || CASE WHEN slowwave_is_encrypted(reason) THEN category ELSE left(reason, 200) END AS subject
FROM (
    SELECT d.scope, d.category, d.reason
    FROM dead_letters d
    WHERE d.state = 'open' AND d.category IN ('fault', 'vanished') AND EXISTS (
        SELECT FROM dead_letters o
        WHERE
            o.tenant = d.tenant AND o.state = 'open' AND o.category = d.category AND o.reason = d.reason
            AND o.scope <> d.scope AND o.born BETWEEN d.born - interval '1 hour' AND d.born + interval '1 hour'
    )
) AS buried
GROUP BY category, reason
HAVING count(DISTINCT scope) >= 3
ORDER BY count(*) DESC, reason
LIMIT %(most)s
