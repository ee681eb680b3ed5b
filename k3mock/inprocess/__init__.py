"""Turns the requests of an HTTP client into answers without a socket; adapters layer."""
