-- The generation of the last removal of documents of which the indexes may still hold words; 0 where they hold none.
ALTER TABLE collections ADD COLUMN erased bigint NOT NULL DEFAULT 0;
UPDATE collections SET erased = generation;
