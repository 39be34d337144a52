"""Mails: `parse` reads one, `body` finds its message among its parts."""
