"""Answers in a language model's words: context, prompt, the streamed transcript."""
