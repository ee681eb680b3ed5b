"""What an endpoint accepts, as data with evidence, and the vendor's words when it does not."""
