"""Turns a plan into the figures of one group of measurements; a module for each group."""
