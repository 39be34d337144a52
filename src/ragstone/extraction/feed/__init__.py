"""XML files: `parse` reads feeds, `said` what an element of one says."""
