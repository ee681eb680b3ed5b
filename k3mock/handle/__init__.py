"""Turns a running server into what a test holds; handle layer."""

from k3mock.handle.asserting import NoRequestError
from k3mock.handle.mock import K3Mock
from k3mock.handle.scripting import When

__all__ = ["K3Mock", "NoRequestError", "When"]
