"""Turns requests that nothing is scripted for into plausible written answers; source layer."""
