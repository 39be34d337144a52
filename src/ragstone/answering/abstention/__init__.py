"""Whether the evidence is good enough to answer at all."""
