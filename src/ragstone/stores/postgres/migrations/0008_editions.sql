-- The edition of analyser and guard that a version's terms and flags are from; '' where that is not known.
ALTER TABLE document_versions ADD COLUMN edition text NOT NULL DEFAULT '';
CREATE INDEX document_versions_edition ON document_versions (collection_id, status, edition);
