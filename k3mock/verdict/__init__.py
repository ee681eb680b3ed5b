"""What a client did wrong, told from the requests that it made."""
