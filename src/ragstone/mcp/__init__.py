"""Tools for agents by the Model Context Protocol: over stdio for one host, over HTTP for many callers.

`tools` lists them, `tool_calls` runs one, `protocol_server` speaks the protocol. Only the modules that speak it import
the SDK, so that the command can say in one sentence that it is missing.
"""
