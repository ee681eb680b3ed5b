"""HTTP in, steps out: the ASGI application."""
