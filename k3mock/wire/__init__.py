"""The shapes on the wire: the only place that knows chunks, bodies, headers and SSE bytes."""
