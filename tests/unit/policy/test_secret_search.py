"""Text that is about to be committed is searched for credentials; placeholders are none."""

import pytest

from tests.unit.policy.secret_samples import AWS, BY_FORM, GITHUB, PASSWORD, PEM, random_letters
from treadle.policy.secret_search import SecretSearch
from treadle.policy.secret_variables import secret_values


def kinds(text: str, *known: str) -> set[str]:
    search = SecretSearch(known)
    found = {seen.kind for seen in search.find_secrets(text)}
    assert not found or search.may_hold(text)
    return found


@pytest.mark.parametrize(("kind", "token"), BY_FORM.items(), ids=BY_FORM)
def test_a_credential_is_known_by_its_form(kind: str, token: str) -> None:
    assert kind in kinds(f"key = '{token}'\n")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (PEM, "a private key"),
        (f"KEY = {PEM!r}", "a private key"),
        (PEM.replace("\n", f"\nComment: {'x' * 2000}\n", 1), "a private key"),
        (f"client_secret: '{PASSWORD}'", "a secret"),
        (f"DB_PASSWORD={PASSWORD}", "a secret variable"),
        (f"postgresql://ada:{PASSWORD}@db.example.com/x", "a password in an address"),
        (f"fetch(url, {{headers: {{'Authorization': 'Bearer {PASSWORD}'}}}})", "a bearer token"),
    ],
)
def test_a_random_value_behind_a_telling_name_is_one(text: str, kind: str) -> None:
    assert kind in kinds(text)


@pytest.mark.parametrize(
    "text",
    [
        "AKIA" + "IOSFODNN7" + "EXAMPLE",
        "sk-ant-xxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789",
        "ghp_" + "A" * 36,
        "STRIPE_SECRET=your-stripe-secret-key-goes-here-123",
        "postgres://postgres:postgres@localhost:5432/app",
        "DB_PASSWORD=correct-horse-battery",
        "token = os.environ['API_TOKEN']",
        'if "-----BEGIN PRIVATE KEY-----" in text: refuse()',
        'const csrfToken = "user.settings.profile.token"',
        "password: ${{ secrets.REGISTRY_PASSWORD }}",
        "integrity: sha512-" + random_letters(86) + "==",
        "tokens: 4096, max_tokens=100000",
    ],
)
def test_what_a_person_would_see_to_be_made_up_is_none(text: str) -> None:
    assert kinds(text) == set()


def test_a_known_value_is_found_in_any_form_and_never_taken_for_made_up() -> None:
    value = "example-password-1234"

    assert kinds(f"x = '{value}'", value) == {"a credential of yours"}
    assert kinds(value.encode().hex(), value) == {"a credential of yours"}


def test_a_sighting_says_where_and_does_not_show_the_value() -> None:
    [seen] = SecretSearch([]).find_secrets(f"one\ntwo {GITHUB}")

    assert (seen.at, seen.value) == (8, GITHUB)
    assert GITHUB not in repr(seen)


@pytest.mark.parametrize(
    ("variables", "secret"),
    [
        ({"GITHUB_TOKEN": GITHUB}, [GITHUB]),
        ({"AWS_SECRET_ACCESS_KEY": PASSWORD, "AWS_ACCESS_KEY_ID": AWS}, [PASSWORD]),
        ({"db_password": "s3cretpw"}, ["s3cretpw"]),
        ({"NPM_TOKEN_FILE": "/run/secrets/npm-token-of-mine"}, []),
        ({"GOOGLE_APPLICATION_CREDENTIALS": "/home/ada/.config/google.json"}, []),
        ({"SECRET_MODE": "disabled"}, []),
        ({"KEYBOARD_LAYOUT": "us-international-1"}, []),
        ({"SERVICE_PASSWORD": "my-application-x"}, []),  # the name of the project's directory
        ({"TOKENIZERS_PARALLELISM": "false0000"}, []),
        ({"PATH": "/usr/bin"}, []),
    ],
)
def test_variables_tell_by_their_names_that_they_are_secret(
    variables: dict[str, str], secret: list[str]
) -> None:
    assert secret_values(variables, paths=["/home/ada/my-application-x"]) == secret
