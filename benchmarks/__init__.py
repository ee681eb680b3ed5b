"""Turns k3mock, bare references and peers into figures, side by side; see README.md here."""
