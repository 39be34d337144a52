-- API keys. The secret is nowhere, only its SHA-256. Applications find one row by its id and see no others; a role in
-- ragstone_admin, or the owner, makes, lists and revokes keys of the tenant that its transaction names.
CREATE TABLE api_keys (
    key_id text COLLATE "C" PRIMARY KEY,    -- public: the first part of the key
    tenant_id text COLLATE "C" NOT NULL,
    name text NOT NULL,
    roles text[] NOT NULL,
    digest bytea NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    revoked_at timestamptz,
    CHECK (octet_length(digest) = 32)
);
CREATE INDEX api_keys_of ON api_keys (tenant_id);
ALTER TABLE api_keys ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY of_tenant ON api_keys
    USING (tenant_id = current_setting('ragstone.tenant', true))
    WITH CHECK (tenant_id = current_setting('ragstone.tenant', true));
-- Before a tenant is known: the one row that find_key() asks for.
CREATE POLICY of_key ON api_keys FOR SELECT USING (key_id = current_setting('ragstone.key', true));

-- The owner is bound by row-level security too, so the function says which row it wants, for its own statement alone.
CREATE FUNCTION find_key(wanted text) RETURNS SETOF api_keys
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ragstone, pg_temp
AS $$
BEGIN
    PERFORM set_config('ragstone.key', wanted, true);
    RETURN QUERY SELECT * FROM ragstone.api_keys k WHERE k.key_id = wanted;
    PERFORM set_config('ragstone.key', '', true);
END $$;
REVOKE ALL ON FUNCTION find_key(text) FROM PUBLIC;

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'ragstone_admin') THEN
        CREATE ROLE ragstone_admin NOLOGIN;
    END IF;
EXCEPTION
    WHEN insufficient_privilege THEN
        RAISE NOTICE 'role ragstone_admin could not be made here; make it with CREATEROLE, then run ragstone migrate again';
    WHEN duplicate_object OR unique_violation THEN NULL;
END $$;

CREATE OR REPLACE FUNCTION grant_roles() RETURNS void LANGUAGE plpgsql SET search_path = ragstone, pg_temp
AS $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['ragstone_read', 'ragstone_write', 'ragstone_admin'] LOOP
        IF EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
            EXECUTE format('GRANT USAGE ON SCHEMA ragstone TO %I', name);
            EXECUTE format('GRANT EXECUTE ON FUNCTION find_key(text) TO %I', name);
        END IF;
    END LOOP;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'ragstone_read') THEN
        GRANT SELECT ON ALL TABLES IN SCHEMA ragstone TO ragstone_read;
        REVOKE ALL ON api_keys FROM ragstone_read;
    END IF;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'ragstone_write') THEN
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ragstone TO ragstone_write;
        REVOKE INSERT, UPDATE, DELETE ON schema_migrations FROM ragstone_write;
        REVOKE ALL ON api_keys FROM ragstone_write;
        GRANT USAGE ON ALL SEQUENCES IN SCHEMA ragstone TO ragstone_write;
        GRANT EXECUTE ON FUNCTION ensure_vector_index(text, integer) TO ragstone_write;
    END IF;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'ragstone_admin') THEN
        GRANT SELECT ON schema_migrations TO ragstone_admin;
        GRANT SELECT, INSERT, UPDATE, DELETE ON api_keys TO ragstone_admin;
    END IF;
END $$;
SELECT grant_roles();
