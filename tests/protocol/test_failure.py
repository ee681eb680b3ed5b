from __future__ import annotations

from k3mock.protocol.failure import MOCK_ERROR_STATUS, MOCK_ERROR_TYPE, Origin, mock_error


def test_an_error_of_the_mock_can_never_be_taken_for_the_vendors() -> None:
    error = mock_error("nobody answers")
    assert error.message == "k3mock: nobody answers"
    assert error.type == MOCK_ERROR_TYPE == "k3mock_error"
    assert error.origin is Origin.MOCK
    assert ("x-should-retry", "false") in error.headers


def test_no_client_library_retries_it() -> None:
    """Libraries retry 408, 409, 429 and 5xx."""
    assert mock_error("x").status == MOCK_ERROR_STATUS == 422
    assert mock_error("x", status=404).status == 404
