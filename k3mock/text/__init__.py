"""Exact token counts, the prompt template's figures, and answers cut into tokens."""
