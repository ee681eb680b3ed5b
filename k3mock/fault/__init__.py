"""Turns the name of a fault into what it does to an answer."""
