-- Sparse vectors of the model that the collection names, by chunk; and the same by term, in segments. Packed arrays are
-- little-endian: numbers int64, terms and weights uint32, weights in millionths; see stores/sparse_postings.py.
ALTER TABLE collections ADD COLUMN sparse_model text;

CREATE TABLE sparse_vectors (
    chunk_key bigint PRIMARY KEY REFERENCES chunks ON DELETE CASCADE,
    tenant_id text COLLATE "C" NOT NULL,
    collection_id integer NOT NULL,
    segment bigint NOT NULL,
    vector bytea NOT NULL
);
CREATE INDEX sparse_vectors_segment ON sparse_vectors (collection_id, segment);

CREATE TABLE sparse_segments (
    segment bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL,
    collection_id integer NOT NULL REFERENCES collections ON DELETE CASCADE,
    chunks integer NOT NULL                 -- that it was written with
);
CREATE INDEX sparse_segments_of ON sparse_segments (collection_id);

CREATE TABLE sparse_postings (
    tenant_id text COLLATE "C" NOT NULL,
    collection_id integer NOT NULL,
    term bigint NOT NULL,
    segment bigint NOT NULL REFERENCES sparse_segments ON DELETE CASCADE,
    chunk_keys bytea NOT NULL,
    weights bytea NOT NULL,
    checksum bigint NOT NULL,               -- CRC32-C
    PRIMARY KEY (collection_id, term, segment)
);
CREATE INDEX sparse_postings_segment ON sparse_postings (segment);
ALTER TABLE sparse_postings ALTER COLUMN chunk_keys SET STORAGE EXTERNAL, ALTER COLUMN weights SET STORAGE EXTERNAL;

DO $$
DECLARE name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['sparse_vectors', 'sparse_segments', 'sparse_postings'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
        EXECUTE format($p$CREATE POLICY of_tenant ON %I
            USING (tenant_id = current_setting('ragstone.tenant', true))
            WITH CHECK (tenant_id = current_setting('ragstone.tenant', true))$p$, name);
    END LOOP;
END $$;
SELECT grant_roles();
