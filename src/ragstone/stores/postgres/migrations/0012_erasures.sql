-- The generation of the last removal of documents of which the indexes may still hold words; 0 where they hold none.
-- Of collections from before, any may: by a default, since row-level security hides their rows from an UPDATE.
ALTER TABLE collections ADD COLUMN erased bigint NOT NULL DEFAULT 1;
ALTER TABLE collections ALTER COLUMN erased SET DEFAULT 0;
