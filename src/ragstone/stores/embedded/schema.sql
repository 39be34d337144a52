-- Format 1. The truth of one collection; indexes on disk and in memory are derived from it.

CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

CREATE TABLE documents (
    id TEXT PRIMARY KEY,
    source TEXT NOT NULL,
    path TEXT NOT NULL,
    UNIQUE (path, source)
) WITHOUT ROWID;

-- status: active (what readers see), pending (not effective yet), kept (an older state)
CREATE TABLE revisions (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    document TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    revision INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'pending', 'kept')),
    due REAL,
    facts BLOB NOT NULL,
    UNIQUE (document, revision)
);

CREATE UNIQUE INDEX one_active ON revisions (document) WHERE status = 'active';

CREATE INDEX pending ON revisions (due) WHERE status = 'pending';

-- the text of record, zlib
CREATE TABLE records (
    rev INTEGER PRIMARY KEY REFERENCES revisions (key) ON DELETE CASCADE,
    record BLOB NOT NULL
);

-- terms: for each term of the chunk its id (u32) and count (u16), little-endian, by id
CREATE TABLE chunks (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    rev INTEGER NOT NULL REFERENCES revisions (key) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    id TEXT NOT NULL,
    vector_key TEXT NOT NULL,
    length INTEGER NOT NULL,
    terms BLOB NOT NULL,
    facts BLOB NOT NULL,
    body BLOB NOT NULL,
    UNIQUE (rev, ordinal),
    UNIQUE (id, rev)
);

CREATE INDEX chunks_by_vector ON chunks (vector_key);

CREATE TABLE terms (id INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE);

CREATE TABLE vectors (key TEXT PRIMARY KEY, slot INTEGER NOT NULL UNIQUE) WITHOUT ROWID;

-- CRC32-C of the rows of each block of 1,024 slots in the current vector file
CREATE TABLE vector_blocks (block INTEGER PRIMARY KEY, rows INTEGER NOT NULL, crc INTEGER NOT NULL);

-- which revisions became active (1) or ceased to be (0), from meta 'log_from' on
CREATE TABLE changes (
    step INTEGER PRIMARY KEY AUTOINCREMENT,
    generation INTEGER NOT NULL,
    rev INTEGER NOT NULL,
    active INTEGER NOT NULL
);

CREATE INDEX changes_by_generation ON changes (generation);

CREATE TABLE runs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    source TEXT NOT NULL,
    status TEXT NOT NULL,
    run BLOB NOT NULL
);

-- Format 2: the CRC32-C of the rows of each revision; those that format 1 wrote have none

CREATE TABLE proofs (
    rev INTEGER PRIMARY KEY REFERENCES revisions (key) ON DELETE CASCADE,
    checksum INTEGER NOT NULL
);

-- Format 3: where the characters of a text of record stand on its pages, with the CRC32-C of that

CREATE TABLE layouts (
    rev INTEGER PRIMARY KEY REFERENCES revisions (key) ON DELETE CASCADE,
    layout BLOB NOT NULL,
    checksum INTEGER NOT NULL
);

-- Format 4: the vectors of a second model, as those of the first, in a vector file of their own; what meta says of it
-- has names that begin with beside_

CREATE TABLE beside_vectors (key TEXT PRIMARY KEY, slot INTEGER NOT NULL UNIQUE) WITHOUT ROWID;

CREATE TABLE beside_blocks (block INTEGER PRIMARY KEY, rows INTEGER NOT NULL, crc INTEGER NOT NULL);

-- Format 5: sparse vectors of the model that meta calls sparse_model, by the chunks' rows; and the same by term, in
-- segments: the rows (i64) that have it and its weights there (u32, millionths), little-endian, with their CRC32-C

CREATE TABLE sparse_vectors (
    row INTEGER PRIMARY KEY REFERENCES chunks (row) ON DELETE CASCADE,
    segment INTEGER NOT NULL,
    vector BLOB NOT NULL
);

CREATE INDEX sparse_by_segment ON sparse_vectors (segment);

CREATE TABLE sparse_segments (segment INTEGER PRIMARY KEY AUTOINCREMENT, chunks INTEGER NOT NULL);

CREATE TABLE sparse_postings (
    term INTEGER NOT NULL,
    segment INTEGER NOT NULL,
    rows BLOB NOT NULL,
    weights BLOB NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (term, segment)
) WITHOUT ROWID;

CREATE INDEX sparse_postings_by_segment ON sparse_postings (segment);

-- Format 6: vectors of the summaries and questions of chunks, of the model in meta under names that begin with written_;
-- by the key of the texts, int8, one after the other, with their CRC32-C. A chunk that was looked at has a link; vectors
-- is NULL where it has no such texts

CREATE TABLE written_vectors (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    vectors BLOB NOT NULL,
    checksum INTEGER NOT NULL
);

CREATE TABLE written_links (
    row INTEGER PRIMARY KEY REFERENCES chunks (row) ON DELETE CASCADE,
    vectors INTEGER REFERENCES written_vectors (id) ON DELETE CASCADE
);

CREATE INDEX written_links_by_vectors ON written_links (vectors);
