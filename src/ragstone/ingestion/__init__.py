"""From a source to a store: changed documents are read, chunked, embedded and activated; what vanished goes."""
