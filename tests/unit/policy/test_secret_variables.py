"""Secrets are found in files of settings, and ordinary words are not hidden."""

import pytest

from tests.unit.policy.secret_samples import random_letters
from treadle.policy.secret_variables import assigned_secrets

RANDOM = f"{random_letters(20)}123"


@pytest.mark.parametrize(
    ("text", "secrets"),
    [
        ("DB_PASSWORD=hunter2hunter2\nDEBUG=true\n", ["hunter2hunter2"]),
        ("export API_TOKEN='abc12345 x'  # mine\n", ["abc12345 x"]),
        ('{"api_key": "abcd1234efgh", "name": "development"}', ["abcd1234efgh"]),
        ('{\n  "api_key": "abcd1234efgh",\n  "name": "development"\n}\n', ["abcd1234efgh"]),
        ("db.accessKey = abcd1234efgh\n", ["abcd1234efgh"]),
        (f"whatever: {RANDOM}\n", [RANDOM]),
        ("DATABASE_URL=postgresql://ada:s3cret-word@localhost/test\n", ["s3cret-word"]),
        ("# a comment\n\nNODE_ENV=test\nPORT=3000\nHOST=localhost\n", []),
    ],
)
def test_values_count_by_the_name_or_the_form(text: str, secrets: list[str]) -> None:
    assert assigned_secrets(text) == secrets


@pytest.mark.parametrize(
    "piece", ["0123456789abcdef", "-", "a.", "a=", "a:", '"a', "://", "://a:", "'"]
)
def test_a_file_of_one_long_line_is_read_in_a_moment(piece: str) -> None:
    # Data of a test, in one line: the square of it takes hours.
    assigned_secrets(piece * (400_000 // len(piece)))
