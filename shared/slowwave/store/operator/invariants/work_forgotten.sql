-- Episodes after a watermark without an intent. The job reconcile creates it within the hour.
--
-- One scan of watermarks against scope_heads_pkey and intents, in one snapshot.
SELECT h.scope, p.pack || ' after ' || w.planned AS subject
FROM scope_heads h
JOIN watermarks w USING (scope)
JOIN packs p USING (pack)
WHERE
    h.head > w.planned AND p.active AND p.job = ANY(%(pushed)s::text[])
    AND NOT EXISTS (SELECT FROM intents i WHERE i.scope = h.scope AND i.job = p.job AND i.pack = p.pack)
LIMIT %(most)s
