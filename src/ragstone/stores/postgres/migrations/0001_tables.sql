-- Tables of one Ragstone database. Every row names its tenant; names of tables and columns that a team's own SQL
-- reads stay as they are. Times are UTC. Foreign keys lead from a row to the one that it is a part of; the bulk
-- (vectors, postings) has none, it goes with its collection in one statement. Counted columns (collections.*) change in the transaction that changes
-- what they count, under that row's lock, taken last.

CREATE TABLE tenants (
    tenant_id text COLLATE "C" PRIMARY KEY,
    name text NOT NULL,
    embedding_model text,
    embedding_dim integer,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE collections (
    collection_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL REFERENCES tenants ON DELETE CASCADE,
    name text COLLATE "C" NOT NULL,
    embedding_model text,
    embedding_variant text,
    embedding_dim integer,
    generation bigint NOT NULL DEFAULT 0,   -- grows with every change that a reader can see
    chunks bigint NOT NULL DEFAULT 0,       -- active chunks
    terms bigint NOT NULL DEFAULT 0,        -- their terms, repeats included
    pending bigint NOT NULL DEFAULT 0,      -- active chunks whose vector is missing
    documents bigint NOT NULL DEFAULT 0,    -- documents with an active version
    next_number integer NOT NULL DEFAULT 0, -- the number of the next chunk that becomes active
    segments integer NOT NULL DEFAULT 0,    -- of postings, appended since the last merge
    merged integer NOT NULL DEFAULT 0,      -- postings of the numbers below stand in one segment
    built_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (tenant_id, name),
    CHECK ((embedding_dim IS NULL) = (embedding_model IS NULL))
);

CREATE TABLE documents (
    doc_id text COLLATE "C" NOT NULL,
    tenant_id text COLLATE "C" NOT NULL,
    collection_id integer NOT NULL REFERENCES collections ON DELETE CASCADE,
    source text COLLATE "C" NOT NULL,
    path text COLLATE "C" NOT NULL,
    source_type text,                       -- the media type
    source_uri text,                        -- source:path
    title text,                             -- of the newest version
    content_hash text,                      -- sha256 of the newest version's bytes
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (collection_id, doc_id)
);
-- A hash, for a path may be longer than an entry of a tree. Under row-level security only leakproof comparisons use
-- an index: equality of texts and numbers does; left(), ~, @> of jsonb and of arrays do not.
CREATE INDEX documents_path ON documents USING hash (path);

CREATE TABLE document_versions (
    doc_version_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL,
    collection_id integer NOT NULL,
    doc_id text COLLATE "C" NOT NULL,
    revision integer NOT NULL,
    version text NOT NULL,                  -- sha256 of the bytes
    recipe text NOT NULL,
    version_label text,
    effective_at timestamptz,               -- when it takes effect; NULL is at once
    status text NOT NULL CHECK (status IN ('active', 'pending', 'kept')),
    is_active boolean GENERATED ALWAYS AS (status = 'active') STORED,
    extracted_artifact_uri text,
    facts bytea NOT NULL,                   -- the document as it was written (JSON, UTF-8)
    asked jsonb NOT NULL,                   -- what filters ask about it: see facts.py
    record bytea NOT NULL,                  -- the text of record, compressed
    layout bytea,                           -- where its characters stand on the pages
    checksum bigint NOT NULL,               -- CRC32-C over facts, record, layout and chunks
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (collection_id, doc_id, revision),
    FOREIGN KEY (collection_id, doc_id) REFERENCES documents ON DELETE CASCADE
);
ALTER TABLE document_versions ALTER COLUMN record SET STORAGE EXTERNAL, ALTER COLUMN layout SET STORAGE EXTERNAL;
CREATE UNIQUE INDEX document_versions_one_active ON document_versions (tenant_id, collection_id, doc_id) WHERE is_active;
CREATE INDEX document_versions_due ON document_versions (collection_id, effective_at) WHERE status = 'pending';
CREATE INDEX document_versions_of ON document_versions (collection_id, status, recipe);

CREATE TABLE chunks (
    chunk_key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL,
    collection_id integer NOT NULL,
    doc_version_id bigint NOT NULL REFERENCES document_versions ON DELETE CASCADE,
    chunk_id text COLLATE "C" NOT NULL,
    ordinal integer NOT NULL,
    heading_path jsonb NOT NULL,
    chunk_type text NOT NULL,
    text text NOT NULL,                     -- NUL, which PostgreSQL cannot hold, is shown as U+FFFD; body then has the text
    token_count integer NOT NULL,
    metadata jsonb NOT NULL,
    vector_key bytea NOT NULL,              -- sha256 of what is embedded
    body bytea NOT NULL,                    -- all else, as it was written (JSON, UTF-8)
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (doc_version_id, ordinal)
);
CREATE INDEX chunks_vector ON chunks (collection_id, vector_key);

-- Vectors by what they are of: a rename, a copy, an edit elsewhere in the document embed nothing again.
CREATE TABLE chunk_embeddings (
    tenant_id text COLLATE "C" NOT NULL,
    collection_id integer NOT NULL,
    vector_key bytea NOT NULL,
    embedding_model text NOT NULL,
    embedding_variant text,
    embedding_dim integer NOT NULL,
    embedding vector NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (collection_id, vector_key, embedding_model),
    CHECK (vector_dims(embedding) = embedding_dim)
);
CREATE INDEX chunk_embeddings_lend ON chunk_embeddings (tenant_id, vector_key);

-- For websearch_to_tsquery and ts_rank_cd; the ranking of every other mode is made of `postings`.
CREATE TABLE chunk_fts (
    chunk_key bigint PRIMARY KEY REFERENCES chunks ON DELETE CASCADE,
    tenant_id text COLLATE "C" NOT NULL,
    collection_id integer NOT NULL,
    tsv tsvector NOT NULL
);
CREATE INDEX chunk_fts_tsv ON chunk_fts USING gin (tsv);

-- What questions read: one narrow row for each active chunk, changed in the transaction that activates a version.
CREATE TABLE mv_active_chunks (
    collection_id integer NOT NULL,
    number integer NOT NULL,                -- counts up in the collection; never given twice
    tenant_id text COLLATE "C" NOT NULL,
    chunk_key bigint NOT NULL REFERENCES chunks ON DELETE CASCADE,
    chunk_id text COLLATE "C" NOT NULL,
    doc_id text COLLATE "C" NOT NULL,
    doc_version_id bigint NOT NULL,
    source text COLLATE "C" NOT NULL,
    path text COLLATE "C" NOT NULL,
    ordinal integer NOT NULL,
    length integer NOT NULL,                -- terms, repeats included
    vector_key bytea NOT NULL,
    heading_path text[] COLLATE "C" NOT NULL,
    restricted boolean NOT NULL,            -- of the document's confidentiality
    facts jsonb NOT NULL,                   -- what filters ask about the chunk itself: see facts.py
    PRIMARY KEY (collection_id, number)
);
CREATE UNIQUE INDEX mv_active_chunks_id ON mv_active_chunks (collection_id, chunk_id);
CREATE INDEX mv_active_chunks_version ON mv_active_chunks (doc_version_id, ordinal);
CREATE INDEX mv_active_chunks_key ON mv_active_chunks (chunk_key);
CREATE INDEX mv_active_chunks_vector ON mv_active_chunks (collection_id, vector_key);

-- BM25's postings: a row for each term and segment, appended by the transaction that activates, merged at the end of
-- a run. The three columns are parallel packed arrays: numbers (int32), counts (uint16), lengths (int32), little-endian.
CREATE TABLE postings (
    tenant_id text COLLATE "C" NOT NULL,
    collection_id integer NOT NULL,
    term text COLLATE "C" NOT NULL,
    segment integer NOT NULL,               -- the number of the first chunk that it may hold
    numbers bytea NOT NULL,
    counts bytea NOT NULL,
    lengths bytea NOT NULL,
    PRIMARY KEY (collection_id, term, segment)
);

-- Packed integers do not get smaller by compression.
ALTER TABLE postings ALTER COLUMN numbers SET STORAGE EXTERNAL, ALTER COLUMN counts SET STORAGE EXTERNAL,
    ALTER COLUMN lengths SET STORAGE EXTERNAL;

-- Numbers of chunks that are no longer active but still stand in postings; a merge removes both.
CREATE TABLE postings_dead (
    tenant_id text COLLATE "C" NOT NULL,
    collection_id integer NOT NULL,
    generation bigint NOT NULL,
    numbers bytea NOT NULL,                 -- int32, little-endian
    PRIMARY KEY (collection_id, generation)
);

CREATE TABLE ingestion_runs (
    run_number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id text COLLATE "C" NOT NULL,
    collection_id integer NOT NULL REFERENCES collections ON DELETE CASCADE,
    run_id text COLLATE "C" NOT NULL,
    source text COLLATE "C" NOT NULL,
    status text NOT NULL CHECK (status IN ('running', 'succeeded', 'failed', 'interrupted')),
    started_at text NOT NULL,
    finished_at text,
    config jsonb NOT NULL,
    stats jsonb NOT NULL,
    error text,
    run bytea NOT NULL,                     -- the run as it was written (JSON, UTF-8)
    UNIQUE (collection_id, run_id)
);
