"""Values that everything above speaks in: requests, replies, failures, usage, wire policy."""
