"""Unix sockets as addresses."""

UNIX = "unix:"  # before the path of the socket
