"""The HTTP server: requests become calls of the library, results become JSON, streams and pages."""
