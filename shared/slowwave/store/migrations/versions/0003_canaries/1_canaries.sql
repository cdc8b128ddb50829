-- Canaries: versions of packs that read in a share of the scopes.

CREATE TABLE canaries (
    pack text NOT NULL,
    version integer NOT NULL,
    tenant text NOT NULL,
    share double precision NOT NULL,
    declared boolean DEFAULT true NOT NULL,
    verdict text,
    by_whom text,
    reason text,
    decided timestamptz,
    registered timestamptz DEFAULT slowwave_now() NOT NULL,
    CONSTRAINT canaries_pkey PRIMARY KEY (pack, version),
    CONSTRAINT canaries_share_check CHECK (share > 0 AND share <= 1),
    CONSTRAINT canaries_verdict_check CHECK (verdict IN ('promoted', 'rolled back'))
);
COMMENT ON TABLE canaries IS 'Versions of packs that read, or once read, in a share of the scopes.';
COMMENT ON COLUMN canaries.share IS 'The share of the scopes in which it reads, by a hash of the scope.';
COMMENT ON COLUMN canaries.declared IS 'Whether canaries.yaml declares it now. Otherwise it reads nowhere.';
COMMENT ON COLUMN canaries.verdict IS 'Promoted: it reads in all scopes. Rolled back: it reads nowhere.';
ALTER TABLE canaries ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant_or_system ON canaries TO slowwave_app
USING (tenant IN ((SELECT slowwave_tenant()), '_system'))
WITH CHECK (tenant IN ((SELECT slowwave_tenant()), '_system'));
CREATE POLICY every_tenant ON canaries TO slowwave_dispatch USING (true) WITH CHECK (true);
GRANT SELECT ON canaries TO slowwave_app;
GRANT SELECT, INSERT, UPDATE (share, declared, verdict, by_whom, reason, decided, registered) ON canaries
TO slowwave_dispatch;

CREATE FUNCTION slowwave_canary(of_scope uuid, of_pack text) RETURNS integer LANGUAGE sql STABLE AS $$
    SELECT max(c.version)
    FROM canaries c
    WHERE
        c.pack = of_pack AND c.declared AND c.verdict IS DISTINCT FROM 'rolled back'
        AND (
            c.verdict = 'promoted'
            OR ('x' || left(md5(of_pack || ' ' || of_scope::text), 8))::bit(32)::bigint < c.share * 4294967296
        )
$$;
COMMENT ON FUNCTION slowwave_canary(uuid, text) IS
    'The version of a pack that reads in a scope as a canary; null if the installed version reads there. Served by '
    'canaries_pkey.';
