-- readers: 14
-- What lies below a folder, and the last runs of a source, are found by an index. The beginning of a path stands for
-- it, since a path may be longer than an entry of a tree; it is a column, since row-level security keeps left() from
-- the use of an index.
ALTER TABLE documents ADD COLUMN path_head text COLLATE "C" GENERATED ALWAYS AS (left(path, 400)) STORED;
CREATE INDEX documents_path_head ON documents (collection_id, path_head);
CREATE INDEX ingestion_runs_of ON ingestion_runs (collection_id, source, run_number);
CREATE INDEX ingestion_runs_last ON ingestion_runs (collection_id, run_number);
