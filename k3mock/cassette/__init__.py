"""Turns recorded sessions into answers: files in vcrpy's format, matching, queues."""
