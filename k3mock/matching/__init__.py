"""Who may answer a request, and why somebody did not."""
