-- One rule in one place: asking for work, what a legal hold covers, where a standing job works. Run as slowwave_owner.

CREATE TYPE slowwave_work AS (
    scope uuid, tenant text, job text, pack text, target bigint, due timestamptz, hastened boolean, upto bigint,
    idle_due timestamptz, chosen bigint[]
);
COMMENT ON TYPE slowwave_work IS 'Work that is asked for: an intent to be.';

CREATE FUNCTION slowwave_ask(work slowwave_work[])
RETURNS TABLE (scope uuid, job text, hastened boolean, since timestamptz) LANGUAGE sql AS $$
    INSERT INTO intents AS i (scope, tenant, job, pack, target, due, hastened, upto, idle_due, chosen)
    SELECT w.scope, w.tenant, w.job, w.pack, w.target, w.due, w.hastened, w.upto, w.idle_due, w.chosen
    FROM unnest(work) AS w
    ORDER BY w.scope, w.job, w.pack
    ON CONFLICT (scope, job, pack) WHERE state = 'pending' DO UPDATE
    SET target = greatest(i.target, excluded.target),
        due = least(i.due, excluded.due),
        hastened = i.hastened OR excluded.hastened,
        upto = CASE
            WHEN NOT excluded.hastened THEN i.upto
            WHEN excluded.upto IS NULL OR (i.hastened AND i.upto IS NULL) THEN NULL
            ELSE greatest(i.upto, excluded.upto)
        END,
        idle_due = coalesce(i.idle_due, excluded.idle_due),
        chosen = CASE WHEN i.chosen IS NULL THEN excluded.chosen ELSE i.chosen || excluded.chosen END
    RETURNING i.scope, i.job, i.hastened, i.due
$$;
COMMENT ON FUNCTION slowwave_ask(slowwave_work[]) IS
    'Asks for work: makes the one pending intent of (scope, job, pack), or hastens it. It always locks the intent, in '
    'the order of (scope, job, pack): with DO NOTHING a claim in between would fix a window without what fired. With '
    'upto only that much is asked for at once, unless all of it was.';

CREATE FUNCTION slowwave_holds(of_tenant text, of_scope uuid) RETURNS TABLE (tenant text) LANGUAGE sql STABLE AS $$
    SELECT h.tenant FROM holds h
    WHERE h.tenant = of_tenant AND h.released IS NULL AND (h.scope IS NULL OR h.scope = of_scope)
$$;
COMMENT ON FUNCTION slowwave_holds(text, uuid) IS
    'The legal holds in force on a scope, its tenant''s included. Served by holds_in_force; planned as if written out.';

CREATE FUNCTION slowwave_slice_id(of_tenant text, job text, slice integer) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT md5(of_tenant || '/' || job || '/' || slice)::uuid
$$;
COMMENT ON FUNCTION slowwave_slice_id(text, text, integer) IS
    'The id under which a slice of a tenant is leased for a standing job, in the place of a scope.';
