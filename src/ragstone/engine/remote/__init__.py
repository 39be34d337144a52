"""A collection behind a server, with the verbs of one that is open here."""
