"""Whether a citation holds and whether the cited passages support a sentence."""
