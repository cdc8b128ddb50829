-- Stores for each predicate whether it is single-valued, and the place that declares this.
--
-- Served by predicates_pkey.
INSERT INTO predicates AS p (predicate, tenant, single_valued, said_by)
SELECT said.predicate, %(tenant)s, said.single_valued, said.said_by
FROM unnest(%(names)s::text[], %(single)s::bool[], %(said_by)s::text[]) AS said (predicate, single_valued, said_by)
ORDER BY said.predicate
ON CONFLICT (predicate) DO UPDATE
    SET single_valued = excluded.single_valued, said_by = excluded.said_by
    WHERE (p.single_valued, p.said_by) IS DISTINCT FROM (excluded.single_valued, excluded.said_by)
