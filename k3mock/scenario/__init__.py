"""Turns scenario files into scripted answers."""
