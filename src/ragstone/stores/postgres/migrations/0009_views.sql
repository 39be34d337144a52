-- The tables of one tenant by other names for columns, for programs that read them with SQL of their own: set search_path to
-- ragstone_sql and ragstone.tenant to the tenant. Each view names the tenant itself, since a superuser may own it, whom
-- row-level security does not bind. The last column, where it is `collection`, is ours.
CREATE SCHEMA IF NOT EXISTS ragstone_sql;

CREATE VIEW ragstone_sql.tenants AS
    SELECT tenant_id, name, embedding_model, embedding_dim, created_at
    FROM tenants WHERE tenant_id = current_setting('ragstone.tenant', true);

CREATE VIEW ragstone_sql.documents AS
    SELECT d.doc_id, d.tenant_id, d.source_type, d.source_uri, d.title, d.content_hash, d.created_at, o.name AS collection
    FROM documents d JOIN collections o USING (collection_id)
    WHERE d.tenant_id = current_setting('ragstone.tenant', true);

CREATE VIEW ragstone_sql.document_versions AS
    SELECT v.doc_version_id, v.tenant_id, v.doc_id, v.version_label, v.effective_at, v.is_active, v.extracted_artifact_uri,
        v.created_at, o.name AS collection
    FROM document_versions v JOIN collections o USING (collection_id)
    WHERE v.tenant_id = current_setting('ragstone.tenant', true);

CREATE VIEW ragstone_sql.chunks AS
    SELECT c.chunk_id, c.tenant_id, c.doc_version_id, c.ordinal, c.heading_path, c.chunk_type, c.text, c.token_count,
        c.metadata, c.created_at, o.name AS collection
    FROM chunks c JOIN collections o USING (collection_id)
    WHERE c.tenant_id = current_setting('ragstone.tenant', true);

-- A row for each chunk and model; chunks of one text share a vector in the table.
CREATE VIEW ragstone_sql.chunk_embeddings AS
    SELECT c.chunk_id, c.tenant_id, e.embedding_model, e.embedding, e.created_at, o.name AS collection
    FROM chunks c JOIN collections o USING (collection_id)
    JOIN chunk_embeddings e ON e.tenant_id = c.tenant_id AND e.collection_id = c.collection_id
        AND e.vector_key = c.vector_key
    WHERE c.tenant_id = current_setting('ragstone.tenant', true);

CREATE VIEW ragstone_sql.chunk_fts AS
    SELECT c.chunk_id, c.tenant_id, f.tsv, o.name AS collection
    FROM chunk_fts f JOIN chunks c USING (chunk_key) JOIN collections o ON o.collection_id = c.collection_id
    WHERE c.tenant_id = current_setting('ragstone.tenant', true);

CREATE VIEW ragstone_sql.ingestion_runs AS
    SELECT r.run_id, r.tenant_id, r.status, r.started_at, r.finished_at, r.config, r.stats, r.error, o.name AS collection
    FROM ingestion_runs r JOIN collections o USING (collection_id)
    WHERE r.tenant_id = current_setting('ragstone.tenant', true);

-- The active chunks with all that a question reads; `embedding` is of the collection's active model, NULL while it is missing.
CREATE VIEW ragstone_sql.active_chunks_mv AS
    SELECT m.tenant_id, m.chunk_id, m.doc_id, m.doc_version_id, d.title, v.version_label, c.heading_path, c.chunk_type, c.text,
        c.token_count, c.metadata, e.embedding, f.tsv, o.name AS collection
    FROM mv_active_chunks m JOIN chunks c USING (chunk_key) JOIN chunk_fts f USING (chunk_key)
    JOIN collections o ON o.collection_id = m.collection_id
    JOIN document_versions v ON v.doc_version_id = m.doc_version_id
    JOIN documents d ON d.collection_id = m.collection_id AND d.doc_id = m.doc_id
    LEFT JOIN chunk_embeddings e ON e.tenant_id = m.tenant_id AND e.collection_id = m.collection_id
        AND e.vector_key = m.vector_key AND e.embedding_model = coalesce(o.embedding_label, o.embedding_model)
    WHERE m.tenant_id = current_setting('ragstone.tenant', true);

-- Readers and writers of the tables read the views too.
ALTER FUNCTION grant_roles() RENAME TO grant_tables;
CREATE FUNCTION grant_roles() RETURNS void LANGUAGE plpgsql SET search_path = ragstone, pg_temp
AS $$
DECLARE role text;
BEGIN
    PERFORM grant_tables();
    FOREACH role IN ARRAY ARRAY['ragstone_read', 'ragstone_write'] LOOP
        IF EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
            EXECUTE format('GRANT USAGE ON SCHEMA ragstone_sql TO %I', role);
            EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA ragstone_sql TO %I', role);
        END IF;
    END LOOP;
END $$;
REVOKE ALL ON FUNCTION grant_roles() FROM PUBLIC;
SELECT grant_roles();
