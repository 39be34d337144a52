"""From a source to a store: what changed is read, cut, embedded and activated; what vanished goes."""
