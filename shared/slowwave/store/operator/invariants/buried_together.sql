-- Episodes of three scopes or more that were buried for the same fault of ours, or vanishing workers, within an hour.
--
-- One scan of dead_letters, of which only the open ones are kept: so many words are seldom guilty alike.
SELECT NULL::uuid AS scope,
    count(*) || ' dead letters of ' || count(DISTINCT scope) || ' scopes alike: ' || left(reason, 200) AS subject
FROM (
    SELECT scope, category, reason,
        min(scope::text) OVER near <> max(scope::text) OVER near AS accompanied
    FROM dead_letters
    WHERE state = 'open' AND category IN ('fault', 'vanished') AND scope IS NOT NULL
    WINDOW near AS (
        PARTITION BY category, reason ORDER BY born RANGE BETWEEN '1 hour' PRECEDING AND '1 hour' FOLLOWING
    )
) AS buried
WHERE accompanied
GROUP BY category, reason
HAVING count(DISTINCT scope) >= 3
ORDER BY count(*) DESC, reason
LIMIT %(most)s
