"""Exports of chats: whose message, when, and its words, in place of the JSON of programs."""
