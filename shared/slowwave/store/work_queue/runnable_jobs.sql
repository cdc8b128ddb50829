-- The jobs with due work in one scope, if no worker holds it.
--
-- Served by intents_due.
SELECT DISTINCT i.job
FROM intents i
JOIN scope_leases l USING (scope)
WHERE
    i.scope = %(scope)s
    AND i.due <= slowwave_now()
    AND (l.until IS NULL OR l.until < slowwave_now())
ORDER BY i.job
