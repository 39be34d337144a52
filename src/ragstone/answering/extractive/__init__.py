"""Answers in the words of the documents: sentences chosen and quoted."""
