"""Contracts and doubles for tests of parts that others write."""
