-- api_keys.key_id: text COLLATE C NOT NULL x
-- api_keys.tenant_id: text COLLATE C NOT NULL x
-- api_keys.name: text NOT NULL x
-- api_keys.roles: text[] NOT NULL x
-- api_keys.digest: bytea NOT NULL x
-- api_keys.created_at: timestamp with time zone NOT NULL p
-- api_keys.expires_at: timestamp with time zone p
-- api_keys.revoked_at: timestamp with time zone p
-- chunk_embeddings.tenant_id: text COLLATE C NOT NULL x
-- chunk_embeddings.collection_id: integer NOT NULL p
-- chunk_embeddings.vector_key: bytea NOT NULL x
-- chunk_embeddings.embedding_model: text NOT NULL x
-- chunk_embeddings.embedding_variant: text x
-- chunk_embeddings.embedding_dim: integer NOT NULL p
-- chunk_embeddings.embedding: vector NOT NULL e
-- chunk_embeddings.created_at: timestamp with time zone NOT NULL DEFAULT now() p
-- chunk_fts.chunk_key: bigint NOT NULL p
-- chunk_fts.tenant_id: text COLLATE C NOT NULL x
-- chunk_fts.collection_id: integer NOT NULL p
-- chunk_fts.tsv: tsvector NOT NULL x
-- chunks.chunk_key: bigint NOT NULL IDENTITY p
-- chunks.tenant_id: text COLLATE C NOT NULL x
-- chunks.collection_id: integer NOT NULL p
-- chunks.doc_version_id: bigint NOT NULL p
-- chunks.chunk_id: text COLLATE C NOT NULL x
-- chunks.ordinal: integer NOT NULL p
-- chunks.heading_path: jsonb NOT NULL x
-- chunks.chunk_type: text NOT NULL x
-- chunks.text: text NOT NULL x
-- chunks.token_count: integer NOT NULL p
-- chunks.metadata: jsonb NOT NULL x
-- chunks.vector_key: bytea NOT NULL x
-- chunks.body: bytea NOT NULL x
-- chunks.created_at: timestamp with time zone NOT NULL DEFAULT now() p
-- collections.collection_id: integer NOT NULL IDENTITY p
-- collections.tenant_id: text COLLATE C NOT NULL x
-- collections.name: text COLLATE C NOT NULL x
-- collections.embedding_model: text x
-- collections.embedding_variant: text x
-- collections.embedding_dim: integer p
-- collections.generation: bigint NOT NULL DEFAULT 0 p
-- collections.chunks: bigint NOT NULL DEFAULT 0 p
-- collections.terms: bigint NOT NULL DEFAULT 0 p
-- collections.pending: bigint NOT NULL DEFAULT 0 p
-- collections.documents: bigint NOT NULL DEFAULT 0 p
-- collections.next_number: integer NOT NULL DEFAULT 0 p
-- collections.segments: integer NOT NULL DEFAULT 0 p
-- collections.merged: integer NOT NULL DEFAULT 0 p
-- collections.built_at: timestamp with time zone p
-- collections.created_at: timestamp with time zone NOT NULL DEFAULT now() p
-- collections.embedding_label: text x
-- collections.second_model: text x
-- collections.second_variant: text x
-- collections.second_dim: integer p
-- collections.second_label: text x
-- collections.second_was_active: boolean NOT NULL DEFAULT false p
-- collections.sparse_model: text x
-- collections.erased: bigint NOT NULL DEFAULT 0 p
-- collections.written_model: text x
-- collections.written_variant: text x
-- collections.written_dim: integer p
-- document_versions.doc_version_id: bigint NOT NULL IDENTITY p
-- document_versions.tenant_id: text COLLATE C NOT NULL x
-- document_versions.collection_id: integer NOT NULL p
-- document_versions.doc_id: text COLLATE C NOT NULL x
-- document_versions.revision: integer NOT NULL p
-- document_versions.version: text NOT NULL x
-- document_versions.recipe: text NOT NULL x
-- document_versions.version_label: text x
-- document_versions.effective_at: timestamp with time zone p
-- document_versions.status: text NOT NULL x
-- document_versions.is_active: boolean DEFAULT (status = 'active'::text) p
-- document_versions.extracted_artifact_uri: text x
-- document_versions.facts: bytea NOT NULL x
-- document_versions.asked: jsonb NOT NULL x
-- document_versions.record: bytea NOT NULL e
-- document_versions.layout: bytea e
-- document_versions.checksum: bigint NOT NULL p
-- document_versions.created_at: timestamp with time zone NOT NULL DEFAULT now() p
-- document_versions.edition: text NOT NULL DEFAULT ''::text x
-- documents.doc_id: text COLLATE C NOT NULL x
-- documents.tenant_id: text COLLATE C NOT NULL x
-- documents.collection_id: integer NOT NULL p
-- documents.source: text COLLATE C NOT NULL x
-- documents.path: text COLLATE C NOT NULL x
-- documents.source_type: text x
-- documents.source_uri: text x
-- documents.title: text x
-- documents.content_hash: text x
-- documents.created_at: timestamp with time zone NOT NULL DEFAULT now() p
-- documents.path_head: text COLLATE C DEFAULT "left"(path, 400) x
-- ingestion_runs.run_number: bigint NOT NULL IDENTITY p
-- ingestion_runs.tenant_id: text COLLATE C NOT NULL x
-- ingestion_runs.collection_id: integer NOT NULL p
-- ingestion_runs.run_id: text COLLATE C NOT NULL x
-- ingestion_runs.source: text COLLATE C NOT NULL x
-- ingestion_runs.status: text NOT NULL x
-- ingestion_runs.started_at: text NOT NULL x
-- ingestion_runs.finished_at: text x
-- ingestion_runs.config: jsonb NOT NULL x
-- ingestion_runs.stats: jsonb NOT NULL x
-- ingestion_runs.error: text x
-- ingestion_runs.run: bytea NOT NULL x
-- jobs.number: bigint NOT NULL IDENTITY p
-- jobs.job_id: text COLLATE C NOT NULL x
-- jobs.tenant_id: text COLLATE C NOT NULL x
-- jobs.collection: text COLLATE C NOT NULL x
-- jobs.path: text COLLATE C x
-- jobs.status: text COLLATE C NOT NULL x
-- jobs.tries: integer NOT NULL DEFAULT 0 p
-- jobs.due: double precision NOT NULL p
-- jobs.lease: double precision NOT NULL DEFAULT 0 p
-- jobs.created: double precision NOT NULL p
-- jobs.taken: double precision p
-- jobs.finished: double precision p
-- jobs.code: text x
-- jobs.message: text x
-- mv_active_chunks.collection_id: integer NOT NULL p
-- mv_active_chunks.number: integer NOT NULL p
-- mv_active_chunks.tenant_id: text COLLATE C NOT NULL x
-- mv_active_chunks.chunk_key: bigint NOT NULL p
-- mv_active_chunks.chunk_id: text COLLATE C NOT NULL x
-- mv_active_chunks.doc_id: text COLLATE C NOT NULL x
-- mv_active_chunks.doc_version_id: bigint NOT NULL p
-- mv_active_chunks.source: text COLLATE C NOT NULL x
-- mv_active_chunks.path: text COLLATE C NOT NULL x
-- mv_active_chunks.ordinal: integer NOT NULL p
-- mv_active_chunks.length: integer NOT NULL p
-- mv_active_chunks.vector_key: bytea NOT NULL x
-- mv_active_chunks.heading_path: text[] COLLATE C NOT NULL x
-- mv_active_chunks.restricted: boolean NOT NULL p
-- mv_active_chunks.facts: jsonb NOT NULL x
-- postings.tenant_id: text COLLATE C NOT NULL x
-- postings.collection_id: integer NOT NULL p
-- postings.term: text COLLATE C NOT NULL x
-- postings.segment: integer NOT NULL p
-- postings.numbers: bytea NOT NULL e
-- postings.counts: bytea NOT NULL e
-- postings.lengths: bytea NOT NULL e
-- postings_dead.tenant_id: text COLLATE C NOT NULL x
-- postings_dead.collection_id: integer NOT NULL p
-- postings_dead.generation: bigint NOT NULL p
-- postings_dead.numbers: bytea NOT NULL x
-- postings_dead.terms: text[] x
-- schema_migrations.version: integer NOT NULL p
-- schema_migrations.name: text NOT NULL x
-- schema_migrations.checksum: text NOT NULL x
-- schema_migrations.applied_at: timestamp with time zone NOT NULL DEFAULT now() p
-- schema_migrations.readers: integer p
-- searches.search_id: text COLLATE C NOT NULL x
-- searches.tenant_id: text COLLATE C NOT NULL x
-- searches.collection_id: integer NOT NULL p
-- searches.key: text COLLATE C NOT NULL x
-- searches.generation: bigint NOT NULL p
-- searches.at: timestamp with time zone NOT NULL p
-- searches.used_at: timestamp with time zone NOT NULL p
-- searches.vector: bytea NOT NULL x
-- searches.content: bytea NOT NULL x
-- sparse_postings.tenant_id: text COLLATE C NOT NULL x
-- sparse_postings.collection_id: integer NOT NULL p
-- sparse_postings.term: bigint NOT NULL p
-- sparse_postings.segment: bigint NOT NULL p
-- sparse_postings.chunk_keys: bytea NOT NULL e
-- sparse_postings.weights: bytea NOT NULL e
-- sparse_postings.checksum: bigint NOT NULL p
-- sparse_segments.segment: bigint NOT NULL IDENTITY p
-- sparse_segments.tenant_id: text COLLATE C NOT NULL x
-- sparse_segments.collection_id: integer NOT NULL p
-- sparse_segments.chunks: integer NOT NULL p
-- sparse_vectors.chunk_key: bigint NOT NULL p
-- sparse_vectors.tenant_id: text COLLATE C NOT NULL x
-- sparse_vectors.collection_id: integer NOT NULL p
-- sparse_vectors.segment: bigint NOT NULL p
-- sparse_vectors.vector: bytea NOT NULL x
-- tenants.tenant_id: text COLLATE C NOT NULL x
-- tenants.name: text NOT NULL x
-- tenants.embedding_model: text x
-- tenants.embedding_dim: integer p
-- tenants.created_at: timestamp with time zone NOT NULL DEFAULT now() p
-- tenants.erasing: timestamp with time zone p
-- written_links.chunk_key: bigint NOT NULL p
-- written_links.tenant_id: text COLLATE C NOT NULL x
-- written_links.collection_id: integer NOT NULL p
-- written_links.key: text COLLATE C NOT NULL x
-- written_vectors.tenant_id: text COLLATE C NOT NULL x
-- written_vectors.collection_id: integer NOT NULL p
-- written_vectors.key: text COLLATE C NOT NULL x
-- written_vectors.place: integer NOT NULL p
-- written_vectors.embedding: halfvec NOT NULL e

ALTER TABLE api_keys ADD CONSTRAINT api_keys_digest_check CHECK ((octet_length(digest) = 32));
ALTER TABLE api_keys ADD CONSTRAINT api_keys_pkey PRIMARY KEY (key_id);
ALTER TABLE chunk_embeddings ADD CONSTRAINT chunk_embeddings_check CHECK ((vector_dims(embedding) = embedding_dim));
ALTER TABLE chunk_embeddings ADD CONSTRAINT chunk_embeddings_pkey PRIMARY KEY (collection_id, vector_key, embedding_model);
ALTER TABLE chunk_fts ADD CONSTRAINT chunk_fts_chunk_key_fkey FOREIGN KEY (chunk_key) REFERENCES chunks(chunk_key) ON DELETE CASCADE;
ALTER TABLE chunk_fts ADD CONSTRAINT chunk_fts_pkey PRIMARY KEY (chunk_key);
ALTER TABLE chunks ADD CONSTRAINT chunks_doc_version_id_fkey FOREIGN KEY (doc_version_id) REFERENCES document_versions(doc_version_id) ON DELETE CASCADE;
ALTER TABLE chunks ADD CONSTRAINT chunks_doc_version_id_ordinal_key UNIQUE (doc_version_id, ordinal);
ALTER TABLE chunks ADD CONSTRAINT chunks_pkey PRIMARY KEY (chunk_key);
ALTER TABLE collections ADD CONSTRAINT collections_check CHECK (((embedding_dim IS NULL) = (embedding_model IS NULL)));
ALTER TABLE collections ADD CONSTRAINT collections_check1 CHECK ((((second_dim IS NULL) = (second_model IS NULL)) AND ((second_dim IS NULL) = (second_label IS NULL))));
ALTER TABLE collections ADD CONSTRAINT collections_check2 CHECK (((written_dim IS NULL) = (written_model IS NULL)));
ALTER TABLE collections ADD CONSTRAINT collections_pkey PRIMARY KEY (collection_id);
ALTER TABLE collections ADD CONSTRAINT collections_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(tenant_id) ON DELETE CASCADE;
ALTER TABLE collections ADD CONSTRAINT collections_tenant_id_name_key UNIQUE (tenant_id, name);
ALTER TABLE document_versions ADD CONSTRAINT document_versions_collection_id_doc_id_fkey FOREIGN KEY (collection_id, doc_id) REFERENCES documents(collection_id, doc_id) ON DELETE CASCADE;
ALTER TABLE document_versions ADD CONSTRAINT document_versions_collection_id_doc_id_revision_key UNIQUE (collection_id, doc_id, revision);
ALTER TABLE document_versions ADD CONSTRAINT document_versions_pkey PRIMARY KEY (doc_version_id);
ALTER TABLE document_versions ADD CONSTRAINT document_versions_status_check CHECK ((status = ANY (ARRAY['active'::text, 'pending'::text, 'kept'::text])));
ALTER TABLE documents ADD CONSTRAINT documents_collection_id_fkey FOREIGN KEY (collection_id) REFERENCES collections(collection_id) ON DELETE CASCADE;
ALTER TABLE documents ADD CONSTRAINT documents_pkey PRIMARY KEY (collection_id, doc_id);
ALTER TABLE ingestion_runs ADD CONSTRAINT ingestion_runs_collection_id_fkey FOREIGN KEY (collection_id) REFERENCES collections(collection_id) ON DELETE CASCADE;
ALTER TABLE ingestion_runs ADD CONSTRAINT ingestion_runs_collection_id_run_id_key UNIQUE (collection_id, run_id);
ALTER TABLE ingestion_runs ADD CONSTRAINT ingestion_runs_pkey PRIMARY KEY (run_number);
ALTER TABLE ingestion_runs ADD CONSTRAINT ingestion_runs_status_check CHECK ((status = ANY (ARRAY['running'::text, 'succeeded'::text, 'failed'::text, 'interrupted'::text])));
ALTER TABLE jobs ADD CONSTRAINT jobs_job_id_key UNIQUE (job_id);
ALTER TABLE jobs ADD CONSTRAINT jobs_pkey PRIMARY KEY (number);
ALTER TABLE mv_active_chunks ADD CONSTRAINT mv_active_chunks_chunk_key_fkey FOREIGN KEY (chunk_key) REFERENCES chunks(chunk_key) ON DELETE CASCADE;
ALTER TABLE mv_active_chunks ADD CONSTRAINT mv_active_chunks_pkey PRIMARY KEY (collection_id, number);
ALTER TABLE postings ADD CONSTRAINT postings_pkey PRIMARY KEY (collection_id, term, segment);
ALTER TABLE postings_dead ADD CONSTRAINT postings_dead_pkey PRIMARY KEY (collection_id, generation);
ALTER TABLE schema_migrations ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (version);
ALTER TABLE searches ADD CONSTRAINT searches_collection_id_fkey FOREIGN KEY (collection_id) REFERENCES collections(collection_id) ON DELETE CASCADE;
ALTER TABLE searches ADD CONSTRAINT searches_pkey PRIMARY KEY (tenant_id, collection_id, search_id);
ALTER TABLE sparse_postings ADD CONSTRAINT sparse_postings_pkey PRIMARY KEY (collection_id, term, segment);
ALTER TABLE sparse_postings ADD CONSTRAINT sparse_postings_segment_fkey FOREIGN KEY (segment) REFERENCES sparse_segments(segment) ON DELETE CASCADE;
ALTER TABLE sparse_segments ADD CONSTRAINT sparse_segments_collection_id_fkey FOREIGN KEY (collection_id) REFERENCES collections(collection_id) ON DELETE CASCADE;
ALTER TABLE sparse_segments ADD CONSTRAINT sparse_segments_pkey PRIMARY KEY (segment);
ALTER TABLE sparse_vectors ADD CONSTRAINT sparse_vectors_chunk_key_fkey FOREIGN KEY (chunk_key) REFERENCES chunks(chunk_key) ON DELETE CASCADE;
ALTER TABLE sparse_vectors ADD CONSTRAINT sparse_vectors_pkey PRIMARY KEY (chunk_key);
ALTER TABLE tenants ADD CONSTRAINT tenants_pkey PRIMARY KEY (tenant_id);
ALTER TABLE written_links ADD CONSTRAINT written_links_chunk_key_fkey FOREIGN KEY (chunk_key) REFERENCES chunks(chunk_key) ON DELETE CASCADE;
ALTER TABLE written_links ADD CONSTRAINT written_links_pkey PRIMARY KEY (chunk_key);
ALTER TABLE written_vectors ADD CONSTRAINT written_vectors_collection_id_fkey FOREIGN KEY (collection_id) REFERENCES collections(collection_id) ON DELETE CASCADE;
ALTER TABLE written_vectors ADD CONSTRAINT written_vectors_pkey PRIMARY KEY (collection_id, key, place);

CREATE INDEX api_keys_of ON ragstone.api_keys USING btree (tenant_id);
CREATE UNIQUE INDEX api_keys_pkey ON ragstone.api_keys USING btree (key_id);
CREATE INDEX chunk_embeddings_lend ON ragstone.chunk_embeddings USING btree (tenant_id, vector_key);
CREATE UNIQUE INDEX chunk_embeddings_pkey ON ragstone.chunk_embeddings USING btree (collection_id, vector_key, embedding_model);
CREATE UNIQUE INDEX chunk_fts_pkey ON ragstone.chunk_fts USING btree (chunk_key);
CREATE INDEX chunk_fts_tsv ON ragstone.chunk_fts USING gin (tsv);
CREATE UNIQUE INDEX chunks_doc_version_id_ordinal_key ON ragstone.chunks USING btree (doc_version_id, ordinal);
CREATE UNIQUE INDEX chunks_pkey ON ragstone.chunks USING btree (chunk_key);
CREATE INDEX chunks_vector ON ragstone.chunks USING btree (collection_id, vector_key);
CREATE UNIQUE INDEX collections_pkey ON ragstone.collections USING btree (collection_id);
CREATE UNIQUE INDEX collections_tenant_id_name_key ON ragstone.collections USING btree (tenant_id, name);
CREATE UNIQUE INDEX document_versions_collection_id_doc_id_revision_key ON ragstone.document_versions USING btree (collection_id, doc_id, revision);
CREATE INDEX document_versions_due ON ragstone.document_versions USING btree (collection_id, effective_at) WHERE (status = 'pending'::text);
CREATE INDEX document_versions_edition ON ragstone.document_versions USING btree (collection_id, status, edition);
CREATE INDEX document_versions_of ON ragstone.document_versions USING btree (collection_id, status, recipe);
CREATE UNIQUE INDEX document_versions_one_active ON ragstone.document_versions USING btree (tenant_id, collection_id, doc_id) WHERE is_active;
CREATE UNIQUE INDEX document_versions_pkey ON ragstone.document_versions USING btree (doc_version_id);
CREATE INDEX documents_path ON ragstone.documents USING hash (path);
CREATE INDEX documents_path_head ON ragstone.documents USING btree (collection_id, path_head);
CREATE UNIQUE INDEX documents_pkey ON ragstone.documents USING btree (collection_id, doc_id);
CREATE UNIQUE INDEX ingestion_runs_collection_id_run_id_key ON ragstone.ingestion_runs USING btree (collection_id, run_id);
CREATE INDEX ingestion_runs_last ON ragstone.ingestion_runs USING btree (collection_id, run_number);
CREATE INDEX ingestion_runs_of ON ragstone.ingestion_runs USING btree (collection_id, source, run_number);
CREATE UNIQUE INDEX ingestion_runs_pkey ON ragstone.ingestion_runs USING btree (run_number);
CREATE INDEX jobs_by_path ON ragstone.jobs USING btree (tenant_id, collection, path);
CREATE INDEX jobs_by_status ON ragstone.jobs USING btree (status, due);
CREATE UNIQUE INDEX jobs_job_id_key ON ragstone.jobs USING btree (job_id);
CREATE INDEX jobs_of ON ragstone.jobs USING btree (tenant_id, taken);
CREATE UNIQUE INDEX jobs_pkey ON ragstone.jobs USING btree (number);
CREATE UNIQUE INDEX mv_active_chunks_id ON ragstone.mv_active_chunks USING btree (collection_id, chunk_id);
CREATE INDEX mv_active_chunks_key ON ragstone.mv_active_chunks USING btree (chunk_key);
CREATE UNIQUE INDEX mv_active_chunks_pkey ON ragstone.mv_active_chunks USING btree (collection_id, number);
CREATE INDEX mv_active_chunks_vector ON ragstone.mv_active_chunks USING btree (collection_id, vector_key);
CREATE INDEX mv_active_chunks_version ON ragstone.mv_active_chunks USING btree (doc_version_id, ordinal);
CREATE UNIQUE INDEX postings_dead_pkey ON ragstone.postings_dead USING btree (collection_id, generation);
CREATE UNIQUE INDEX postings_pkey ON ragstone.postings USING btree (collection_id, term, segment);
CREATE UNIQUE INDEX schema_migrations_pkey ON ragstone.schema_migrations USING btree (version);
CREATE INDEX searches_by_key ON ragstone.searches USING btree (tenant_id, collection_id, key);
CREATE UNIQUE INDEX searches_pkey ON ragstone.searches USING btree (tenant_id, collection_id, search_id);
CREATE UNIQUE INDEX sparse_postings_pkey ON ragstone.sparse_postings USING btree (collection_id, term, segment);
CREATE INDEX sparse_postings_segment ON ragstone.sparse_postings USING btree (segment);
CREATE INDEX sparse_segments_of ON ragstone.sparse_segments USING btree (collection_id);
CREATE UNIQUE INDEX sparse_segments_pkey ON ragstone.sparse_segments USING btree (segment);
CREATE UNIQUE INDEX sparse_vectors_pkey ON ragstone.sparse_vectors USING btree (chunk_key);
CREATE INDEX sparse_vectors_segment ON ragstone.sparse_vectors USING btree (collection_id, segment);
CREATE UNIQUE INDEX tenants_pkey ON ragstone.tenants USING btree (tenant_id);
CREATE INDEX written_links_key ON ragstone.written_links USING btree (collection_id, key);
CREATE UNIQUE INDEX written_links_pkey ON ragstone.written_links USING btree (chunk_key);
CREATE UNIQUE INDEX written_vectors_pkey ON ragstone.written_vectors USING btree (collection_id, key, place);

CREATE POLICY of_key ON api_keys SELECT TO {public} USING (key_id = current_setting('ragstone.key'::text, true)) WITH CHECK ;
CREATE POLICY of_tenant ON api_keys ALL TO {public} USING (tenant_id = current_setting('ragstone.tenant'::text, true)) WITH CHECK (tenant_id = current_setting('ragstone.tenant'::text, true));
CREATE POLICY of_tenant ON chunk_embeddings ALL TO {public} USING (tenant_id = current_setting('ragstone.tenant'::text, true)) WITH CHECK (tenant_id = current_setting('ragstone.tenant'::text, true));
CREATE POLICY of_tenant ON chunk_fts ALL TO {public} USING (tenant_id = current_setting('ragstone.tenant'::text, true)) WITH CHECK (tenant_id = current_setting('ragstone.tenant'::text, true));
CREATE POLICY of_tenant ON chunks ALL TO {public} USING (tenant_id = current_setting('ragstone.tenant'::text, true)) WITH CHECK (tenant_id = current_setting('ragstone.tenant'::text, true));
CREATE POLICY of_tenant ON collections ALL TO {public} USING (tenant_id = current_setting('ragstone.tenant'::text, true)) WITH CHECK (tenant_id = current_setting('ragstone.tenant'::text, true));
CREATE POLICY of_tenant ON document_versions ALL TO {public} USING (tenant_id = current_setting('ragstone.tenant'::text, true)) WITH CHECK (tenant_id = current_setting('ragstone.tenant'::text, true));
CREATE POLICY of_tenant ON documents ALL TO {public} USING (tenant_id = current_setting('ragstone.tenant'::text, true)) WITH CHECK (tenant_id = current_setting('ragstone.tenant'::text, true));
CREATE POLICY of_tenant ON ingestion_runs ALL TO {public} USING (tenant_id = current_setting('ragstone.tenant'::text, true)) WITH CHECK (tenant_id = current_setting('ragstone.tenant'::text, true));
CREATE POLICY of_queue ON jobs ALL TO {public} USING (current_setting('ragstone.queue'::text, true) = 'all'::text) WITH CHECK (current_setting('ragstone.queue'::text, true) = 'all'::text);
CREATE POLICY of_tenant ON jobs ALL TO {public} USING (tenant_id = current_setting('ragstone.tenant'::text, true)) WITH CHECK (tenant_id = current_setting('ragstone.tenant'::text, true));
CREATE POLICY of_tenant ON mv_active_chunks ALL TO {public} USING (tenant_id = current_setting('ragstone.tenant'::text, true)) WITH CHECK (tenant_id = current_setting('ragstone.tenant'::text, true));
CREATE POLICY of_tenant ON postings ALL TO {public} USING (tenant_id = current_setting('ragstone.tenant'::text, true)) WITH CHECK (tenant_id = current_setting('ragstone.tenant'::text, true));
CREATE POLICY of_tenant ON postings_dead ALL TO {public} USING (tenant_id = current_setting('ragstone.tenant'::text, true)) WITH CHECK (tenant_id = current_setting('ragstone.tenant'::text, true));
CREATE POLICY of_tenant ON searches ALL TO {public} USING (tenant_id = current_setting('ragstone.tenant'::text, true)) WITH CHECK (tenant_id = current_setting('ragstone.tenant'::text, true));
CREATE POLICY of_tenant ON sparse_postings ALL TO {public} USING (tenant_id = current_setting('ragstone.tenant'::text, true)) WITH CHECK (tenant_id = current_setting('ragstone.tenant'::text, true));
CREATE POLICY of_tenant ON sparse_segments ALL TO {public} USING (tenant_id = current_setting('ragstone.tenant'::text, true)) WITH CHECK (tenant_id = current_setting('ragstone.tenant'::text, true));
CREATE POLICY of_tenant ON sparse_vectors ALL TO {public} USING (tenant_id = current_setting('ragstone.tenant'::text, true)) WITH CHECK (tenant_id = current_setting('ragstone.tenant'::text, true));
CREATE POLICY of_tenant ON tenants ALL TO {public} USING (tenant_id = current_setting('ragstone.tenant'::text, true)) WITH CHECK (tenant_id = current_setting('ragstone.tenant'::text, true));
CREATE POLICY of_tenant ON written_links ALL TO {public} USING (tenant_id = current_setting('ragstone.tenant'::text, true)) WITH CHECK (tenant_id = current_setting('ragstone.tenant'::text, true));
CREATE POLICY of_tenant ON written_vectors ALL TO {public} USING (tenant_id = current_setting('ragstone.tenant'::text, true)) WITH CHECK (tenant_id = current_setting('ragstone.tenant'::text, true));

-- api_keys: row-level security t, forced t
-- chunk_embeddings: row-level security t, forced t
-- chunk_fts: row-level security t, forced f
-- chunks: row-level security t, forced t
-- collections: row-level security t, forced t
-- document_versions: row-level security t, forced t
-- documents: row-level security t, forced t
-- ingestion_runs: row-level security t, forced t
-- jobs: row-level security t, forced t
-- mv_active_chunks: row-level security t, forced t
-- postings: row-level security t, forced t
-- postings_dead: row-level security t, forced t
-- schema_migrations: row-level security f, forced f
-- searches: row-level security t, forced t
-- sparse_postings: row-level security t, forced t
-- sparse_segments: row-level security t, forced t
-- sparse_vectors: row-level security t, forced t
-- tenants: row-level security t, forced t
-- written_links: row-level security t, forced t
-- written_vectors: row-level security t, forced t

CREATE OR REPLACE FUNCTION ragstone.count_rows()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'ragstone', 'pg_temp'
AS $function$
DECLARE
    name regclass;
    counted integer := 0;
BEGIN
    FOR name IN SELECT c.oid FROM pg_class c
        WHERE c.relnamespace = 'ragstone'::regnamespace AND c.relkind = 'r'
            AND pg_relation_size(c.oid) > 1.1 * current_setting('block_size')::bigint * c.relpages
        ORDER BY c.oid
    LOOP
        EXECUTE format('ANALYZE (SKIP_LOCKED) %s', name);
        counted := counted + 1;
    END LOOP;
    RETURN counted;
END $function$
;
CREATE OR REPLACE FUNCTION ragstone.ensure_vector_index(model text, dim integer)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'ragstone', 'public', 'pg_temp'
AS $function$
DECLARE
    name text := 'chunk_embeddings_' || dim || '_' || left(md5(model), 12);
    kind text := CASE WHEN dim > 2000 THEN 'halfvec' ELSE 'vector' END;
BEGIN
    IF dim NOT BETWEEN 1 AND 4000 OR NOT EXISTS (
        SELECT FROM ragstone.collections c
        WHERE coalesce(c.embedding_label, c.embedding_model) = model AND c.embedding_dim = dim
            OR c.second_label = model AND c.second_dim = dim
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
END $function$
;
CREATE OR REPLACE FUNCTION ragstone.find_key(wanted text)
 RETURNS SETOF api_keys
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'ragstone', 'pg_temp'
AS $function$
BEGIN
    PERFORM set_config('ragstone.key', wanted, true);
    RETURN QUERY SELECT * FROM ragstone.api_keys k WHERE k.key_id = wanted;
    PERFORM set_config('ragstone.key', '', true);
END $function$
;
CREATE OR REPLACE FUNCTION ragstone.fts_mark(collection integer)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN array_to_tsvector(ARRAY[(chr(1) || collection)])
;
CREATE OR REPLACE FUNCTION ragstone.grant_roles()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'ragstone', 'pg_temp'
AS $function$
DECLARE role text;
BEGIN
    PERFORM grant_tables();
    FOREACH role IN ARRAY ARRAY['ragstone_read', 'ragstone_write'] LOOP
        IF EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
            EXECUTE format('GRANT USAGE ON SCHEMA ragstone_sql TO %I', role);
            EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA ragstone_sql TO %I', role);
        END IF;
    END LOOP;
END $function$
;
CREATE OR REPLACE FUNCTION ragstone.grant_tables()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'ragstone', 'pg_temp'
AS $function$
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
        GRANT EXECUTE ON FUNCTION ts_ranked(integer, text) TO ragstone_read;
    END IF;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'ragstone_write') THEN
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ragstone TO ragstone_write;
        REVOKE INSERT, UPDATE, DELETE ON schema_migrations FROM ragstone_write;
        REVOKE ALL ON api_keys FROM ragstone_write;
        GRANT USAGE ON ALL SEQUENCES IN SCHEMA ragstone TO ragstone_write;
        GRANT EXECUTE ON FUNCTION ensure_vector_index(text, integer), ts_ranked(integer, text), count_rows(), fts_mark(integer)
            TO ragstone_write;
    END IF;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'ragstone_admin') THEN
        GRANT SELECT ON schema_migrations TO ragstone_admin;
        GRANT SELECT, INSERT, UPDATE, DELETE ON api_keys TO ragstone_admin;
    END IF;
END $function$
;
CREATE OR REPLACE FUNCTION ragstone.ts_ranked(collection integer, query text)
 RETURNS TABLE(chunk_key bigint, score double precision)
 LANGUAGE plpgsql
 STABLE STRICT SECURITY DEFINER ROWS 100
 SET search_path TO 'ragstone', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
DECLARE
    asked tsquery;
    ours tsquery := quote_literal(chr(1) || collection)::tsquery;
BEGIN
    BEGIN
        asked := websearch_to_tsquery('english', query);
    EXCEPTION WHEN internal_error THEN  -- it trips over some signs: "tsquery stack too small"
        asked := plainto_tsquery('english', query);
    END;
    IF numnode(asked) = 0 THEN
        RETURN;
    END IF;
    RETURN QUERY SELECT f.chunk_key, ts_rank_cd(f.tsv, asked)::double precision FROM ragstone.chunk_fts f
        WHERE f.tsv @@ (ours && asked) AND f.collection_id = collection
            AND f.tenant_id = current_setting('ragstone.tenant', true);
END $function$
;

GRANT DELETE, INSERT, SELECT, UPDATE ON api_keys TO ragstone_admin;
GRANT SELECT ON schema_migrations TO ragstone_admin;
GRANT SELECT ON chunk_embeddings TO ragstone_read;
GRANT SELECT ON chunk_fts TO ragstone_read;
GRANT SELECT ON chunks TO ragstone_read;
GRANT SELECT ON collections TO ragstone_read;
GRANT SELECT ON document_versions TO ragstone_read;
GRANT SELECT ON documents TO ragstone_read;
GRANT SELECT ON ingestion_runs TO ragstone_read;
GRANT SELECT ON jobs TO ragstone_read;
GRANT SELECT ON mv_active_chunks TO ragstone_read;
GRANT SELECT ON postings TO ragstone_read;
GRANT SELECT ON postings_dead TO ragstone_read;
GRANT SELECT ON schema_migrations TO ragstone_read;
GRANT SELECT ON searches TO ragstone_read;
GRANT SELECT ON sparse_postings TO ragstone_read;
GRANT SELECT ON sparse_segments TO ragstone_read;
GRANT SELECT ON sparse_vectors TO ragstone_read;
GRANT SELECT ON tenants TO ragstone_read;
GRANT SELECT ON written_links TO ragstone_read;
GRANT SELECT ON written_vectors TO ragstone_read;
GRANT DELETE, INSERT, SELECT, UPDATE ON chunk_embeddings TO ragstone_write;
GRANT DELETE, INSERT, SELECT, UPDATE ON chunk_fts TO ragstone_write;
GRANT DELETE, INSERT, SELECT, UPDATE ON chunks TO ragstone_write;
GRANT DELETE, INSERT, SELECT, UPDATE ON collections TO ragstone_write;
GRANT DELETE, INSERT, SELECT, UPDATE ON document_versions TO ragstone_write;
GRANT DELETE, INSERT, SELECT, UPDATE ON documents TO ragstone_write;
GRANT DELETE, INSERT, SELECT, UPDATE ON ingestion_runs TO ragstone_write;
GRANT DELETE, INSERT, SELECT, UPDATE ON jobs TO ragstone_write;
GRANT DELETE, INSERT, SELECT, UPDATE ON mv_active_chunks TO ragstone_write;
GRANT DELETE, INSERT, SELECT, UPDATE ON postings TO ragstone_write;
GRANT DELETE, INSERT, SELECT, UPDATE ON postings_dead TO ragstone_write;
GRANT SELECT ON schema_migrations TO ragstone_write;
GRANT DELETE, INSERT, SELECT, UPDATE ON searches TO ragstone_write;
GRANT DELETE, INSERT, SELECT, UPDATE ON sparse_postings TO ragstone_write;
GRANT DELETE, INSERT, SELECT, UPDATE ON sparse_segments TO ragstone_write;
GRANT DELETE, INSERT, SELECT, UPDATE ON sparse_vectors TO ragstone_write;
GRANT DELETE, INSERT, SELECT, UPDATE ON tenants TO ragstone_write;
GRANT DELETE, INSERT, SELECT, UPDATE ON written_links TO ragstone_write;
GRANT DELETE, INSERT, SELECT, UPDATE ON written_vectors TO ragstone_write;
