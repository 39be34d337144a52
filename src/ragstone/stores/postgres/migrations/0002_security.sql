-- Row-level security: a statement sees and writes rows of the tenant that its transaction names, and none without.
-- Forced, so that it binds the owner of the tables too; superusers and roles with BYPASSRLS are beyond it.
DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['tenants', 'collections', 'documents', 'document_versions', 'chunks',
        'chunk_embeddings', 'chunk_fts', 'mv_active_chunks', 'postings', 'postings_dead', 'ingestion_runs']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format($p$CREATE POLICY of_tenant ON %I
            USING (tenant_id = current_setting('ragstone.tenant', true))
            WITH CHECK (tenant_id = current_setting('ragstone.tenant', true))$p$, name);
    END LOOP;
END $$;

-- A partial index of the vectors of one model and dimension, made by the owner for roles that own nothing. Only for
-- what a collection of the calling tenant holds.
CREATE FUNCTION ensure_vector_index(model text, dim integer) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER
AS $$
DECLARE
    name text := 'chunk_embeddings_' || dim || '_' || left(md5(model), 12);
    kind text := CASE WHEN dim > 2000 THEN 'halfvec' ELSE 'vector' END;
BEGIN
    IF dim NOT BETWEEN 1 AND 4000 OR NOT EXISTS (
        SELECT FROM ragstone.collections c WHERE c.embedding_model = model AND c.embedding_dim = dim
    ) THEN
        RETURN NULL;
    END IF;
    IF to_regclass(format('ragstone.%I', name)) IS NULL THEN
        PERFORM pg_advisory_xact_lock(hashtext('ragstone.ensure_vector_index'), hashtext(name));
        EXECUTE format(
            'CREATE INDEX IF NOT EXISTS %I ON ragstone.chunk_embeddings USING hnsw '
            '((embedding::%s(%s)) %s_cosine_ops) WHERE embedding_model = %L AND embedding_dim = %s',
            name, kind, dim, kind, model, dim
        );
    END IF;
    RETURN name;
END $$;
REVOKE ALL ON FUNCTION ensure_vector_index(text, integer) FROM PUBLIC;

-- Where the extension lives is known only here.
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION ensure_vector_index(text, integer) SET search_path = ragstone, %I, pg_temp',
        (SELECT nspname FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'vector'));
END $$;

-- Two groups that own nothing: give the one or the other to the roles that applications log in with.
DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['ragstone_read', 'ragstone_write'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', name);
            EXCEPTION
                WHEN insufficient_privilege THEN
                    RAISE NOTICE 'role % could not be made here; make it with CREATEROLE, then run ragstone migrate again', name;
                WHEN duplicate_object OR unique_violation THEN NULL;
            END;
        END IF;
    END LOOP;
END $$;

CREATE FUNCTION grant_roles() RETURNS void LANGUAGE plpgsql SET search_path = ragstone, pg_temp
AS $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'ragstone_read') THEN
        GRANT USAGE ON SCHEMA ragstone TO ragstone_read;
        GRANT SELECT ON ALL TABLES IN SCHEMA ragstone TO ragstone_read;
    END IF;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'ragstone_write') THEN
        GRANT USAGE ON SCHEMA ragstone TO ragstone_write;
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ragstone TO ragstone_write;
        REVOKE INSERT, UPDATE, DELETE ON schema_migrations FROM ragstone_write;
        GRANT USAGE ON ALL SEQUENCES IN SCHEMA ragstone TO ragstone_write;
        GRANT EXECUTE ON FUNCTION ensure_vector_index(text, integer) TO ragstone_write;
    END IF;
END $$;
REVOKE ALL ON FUNCTION grant_roles() FROM PUBLIC;
SELECT grant_roles();
