"""Turns what was recorded into what may be kept, and proves that it holds no secret."""
