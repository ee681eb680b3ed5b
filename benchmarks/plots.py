"""Turns results into pictures."""


def draw(groups, folder):
    return {}
