-- Keyed ids: by which the database recognises the key of its ids.

CREATE TABLE id_keys (
    tenant text NOT NULL,
    proof bytea NOT NULL,
    made timestamptz DEFAULT slowwave_now() NOT NULL,
    CONSTRAINT id_keys_pkey PRIMARY KEY (tenant),
    CONSTRAINT id_keys_proof_check CHECK (octet_length(proof) = 32)
);
COMMENT ON TABLE id_keys IS 'The proof of the key with which all ids of scopes were made; no row without such a key.';
COMMENT ON COLUMN id_keys.proof IS 'A keyed digest of a constant. Neither the key nor an id can be computed from it.';
ALTER TABLE id_keys ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant_or_system ON id_keys TO slowwave_app
USING (tenant IN ((SELECT slowwave_tenant()), '_system'))
WITH CHECK (tenant IN ((SELECT slowwave_tenant()), '_system'));
CREATE POLICY every_tenant ON id_keys TO slowwave_dispatch USING (true) WITH CHECK (true);
GRANT SELECT ON id_keys TO slowwave_app;
GRANT SELECT, INSERT ON id_keys TO slowwave_dispatch;

COMMENT ON COLUMN episode_keys.digest IS
    'The keyed digest of what was pushed; of episodes from before this revision, the plain digest.';
COMMENT ON COLUMN episode_keys.erased IS 'What it said was erased; then the digest is keyed once more.';
