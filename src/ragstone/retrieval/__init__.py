"""From a question to ranked hits: variants of the question, candidates of each source, one ranking."""
