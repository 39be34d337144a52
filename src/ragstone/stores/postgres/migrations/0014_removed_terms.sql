-- The words of removed chunks whose numbers may still be in postings: NULL where their text was replaced, not removed;
-- {} where they are unknown, as for what was removed before this version.
ALTER TABLE postings_dead ADD COLUMN terms text[] DEFAULT '{}';
ALTER TABLE postings_dead ALTER COLUMN terms DROP DEFAULT;
