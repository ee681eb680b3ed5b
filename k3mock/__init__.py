"""k3mock: an offline emulator of the kimi-k3 chat-completions endpoint."""

__version__ = "0.1.0"
