"""The commands of other languages, and the targets of a Makefile."""

from pathlib import Path

import pytest

from tests.unit.workspace.detection import lay_out, proposed
from treadle.workspace.detect import DetectedCommands

BUNDLE = "bundle config set --local path vendor/bundle && bundle install"
PHP = "--log-junit .treadle-reports/phpunit.xml"
RSPEC = "bundle exec rspec --format progress --format json --out .treadle-reports/rspec.json"

CASES: list[tuple[dict[str, str], DetectedCommands]] = [
    # Go, Rust, Ruby, PHP
    (
        {"go.mod": "module x\ntool gotest.tools/gotestsum\n"},
        DetectedCommands(
            ("go",),
            "go mod download",
            "go vet ./...",
            "go tool gotestsum --junitfile=.treadle-reports/go.xml ./...",
        ),
    ),
    (
        {"go.mod": "", ".golangci.yml": ""},
        DetectedCommands(
            ("go",), "go mod download", "go vet ./... && golangci-lint run", "go test -v ./..."
        ),
    ),
    (
        {"Cargo.toml": ""},
        DetectedCommands(
            ("rust",), "cargo fetch", "cargo check --all-targets", "cargo test --no-fail-fast"
        ),
    ),
    (
        {"Gemfile": "gem 'rspec'", ".rubocop.yml": ""},
        DetectedCommands(("ruby",), BUNDLE, "bundle exec rubocop", RSPEC),
    ),
    (
        {"x.gemspec": "", "spec/a_spec.rb": ""},
        DetectedCommands(("ruby",), BUNDLE, "", RSPEC),
    ),
    (
        {"Gemfile": "", "Rakefile": "", "test/a.rb": ""},
        DetectedCommands(("ruby",), BUNDLE, "", "bundle exec rake test"),
    ),
    ({"Gemfile": ""}, DetectedCommands(("ruby",), BUNDLE)),
    (
        {"composer.json": '{"require-dev": {"phpunit/phpunit": "*"}}', "phpstan.neon": ""},
        DetectedCommands(
            ("php",),
            "composer install",
            "vendor/bin/phpstan analyse",
            f"vendor/bin/phpunit {PHP}",
        ),
    ),
    (
        {"composer.json": '{"require-dev": {"pestphp/pest": "*"}}'},
        DetectedCommands(("php",), "composer install", "", f"vendor/bin/pest {PHP}"),
    ),
    (
        {"composer.json": '{"scripts": {"test": "x"}}'},
        DetectedCommands(("php",), "composer install", "", "composer test"),
    ),
    ({"composer.json": "{}"}, DetectedCommands(("php",), "composer install")),
    (
        {"composer.json": "{}", "composer.lock": ""},
        DetectedCommands(("php",), "composer install || composer update"),
    ),
    # Java and .NET
    (
        {"pom.xml": "", "mvnw": ""},
        DetectedCommands(
            ("java",), "./mvnw -B dependency:go-offline", "./mvnw -B test-compile", "./mvnw -B test"
        ),
    ),
    (
        {"build.gradle.kts": "", "gradlew": "", "app/build.gradle.kts": "", "settings.gradle": ""},
        DetectedCommands(
            ("java",),
            "./gradlew --no-daemon testClasses",
            "",
            "./gradlew --no-daemon test --continue",
        ),
    ),
    (
        {"x.sln": ""},
        DetectedCommands(("dotnet",), "dotnet restore", "dotnet build", "dotnet test"),
    ),
    # Make
    (
        {"Makefile": "CC := cc\n.PHONY: test\nsetup:\n\nlint test: setup\n\tgo test\n"},
        DetectedCommands(("make",), "make setup", "make lint", "make test"),
    ),
    ({"Makefile": "check:\n\ttrue\n"}, DetectedCommands(("make",), test="make check")),
    ({"Makefile": "all:\n\ttest: no target\ntests = 1\ntest := 2\n"}, DetectedCommands()),
    (
        {"Makefile": "test:\n", "go.mod": ""},
        DetectedCommands(("go", "make"), "go mod download", "go vet ./...", "make test"),
    ),
]


@pytest.mark.parametrize(
    ("files", "found"), [pytest.param(*case, id=" ".join(case[0]) or "nothing") for case in CASES]
)
def test_commands_are_proposed_from_the_files(
    tmp_path: Path, files: dict[str, str], found: DetectedCommands
) -> None:
    lay_out(tmp_path, files)

    assert proposed(tmp_path) == found
