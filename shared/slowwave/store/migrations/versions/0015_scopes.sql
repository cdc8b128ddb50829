-- A row that the app inserts stands in a scope, or in a slice, of its own tenant. Run as slowwave_owner.
--
-- Scope ids are derived from names, and most keys hold the scope without the tenant: who wrote rows of its own under
-- another tenant's scope would take that tenant's positions and windows, and be told by the refusal what is there. Row-
-- level security lets the app see its own heads alone, and refuses before a unique index is asked.
--
-- Not guarded: heads, leases and watermarks, which are born in one statement (see ops/decisions/row-level-security.md);
-- audit_log and holds, in which a scope is a label and in no key.

CREATE FUNCTION slowwave_guard_scope(name text, of_column text, otherwise text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format(
        'CREATE POLICY of_own_%2$s ON %1$I AS RESTRICTIVE FOR INSERT TO slowwave_app WITH CHECK ('
        'EXISTS (SELECT FROM scope_heads h WHERE h.scope = %1$I.%2$I) %3$s)', name, of_column, otherwise);
END $$;
COMMENT ON FUNCTION slowwave_guard_scope(text, text, text) IS
    'Lets the app insert into a table only where a column names a scope that it sees, or otherwise.';
REVOKE EXECUTE ON FUNCTION slowwave_guard_scope(text, text, text) FROM PUBLIC;

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'episode_keys', 'episodes', 'episode_vectors', 'firings', 'runs', 'extraction_journal', 'beliefs',
        'facts', 'fact_vectors', 'standing', 'deltas', 'tier_moves', 'delta_origins', 'conversations', 'segments',
        'topics', 'entities', 'strategies', 'tool_stats', 'sightings', 'goals', 'consensus']
    LOOP
        PERFORM slowwave_guard_scope(name, 'scope', '');
    END LOOP;
    PERFORM slowwave_guard_scope('promotions', 'target', '');
    PERFORM slowwave_guard_scope('promotions', 'source_scope', '');
    PERFORM slowwave_guard_scope('dead_letters', 'scope', 'OR pack IS NULL');
    -- The work of a standing job lies in a slice, which may be new: its id tells whose it is.
    PERFORM slowwave_guard_scope('intents', 'scope',
        'OR EXISTS (SELECT FROM generate_series(0, 15) AS n WHERE scope = slowwave_slice_id(tenant, job, n))');
END $$;

CREATE POLICY of_own_slice ON places AS RESTRICTIVE FOR INSERT TO slowwave_app
WITH CHECK (place = slowwave_slice_id(tenant, job, slice));
