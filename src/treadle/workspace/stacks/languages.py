"""Setup, check and test commands of each language, from a project's files. Pure."""

import re

from treadle.domain.suite_report import REPORTS_FOLDER
from treadle.workspace.stacks.project_listing import ProjectListing
from treadle.workspace.stacks.stack import Stack, chain, table

_TARGET = re.compile(r"^([A-Za-z0-9_./ -]+?)\s*::?(?!=)", re.MULTILINE)
_PHP_REPORT = f"--log-junit {REPORTS_FOLDER}/phpunit.xml"


def go(files: ProjectListing) -> Stack | None:
    if not files.has("go.mod", "go.work"):
        return None
    if not files.has("go.mod"):
        # A pattern for packages must name the modules of a workspace.
        every = "$(go list -m -f '{{.Dir}}/...')"
        return Stack("go", "go mod download", f"go vet {every}", f"go test -v {every}")
    strict = files.has(".golangci.yml", ".golangci.yaml", ".golangci.toml")
    check = chain("go vet ./...", "golangci-lint run" if strict else "")
    return Stack("go", "go mod download", check, _go_test(files))


def _go_test(files: ProjectListing) -> str:
    if "gotest.tools/gotestsum" in files.text("go.mod"):
        return f"go tool gotestsum --junitfile={REPORTS_FOLDER}/go.xml ./..."
    # Only with -v does it name the tests that pass.
    return "go test -v ./..."


def rust(files: ProjectListing) -> Stack | None:
    if not files.has("Cargo.toml"):
        return None
    # A failing target must not hide the tests of the next one.
    every = " --workspace" if "workspace" in files.toml("Cargo.toml") else ""
    check, test = f"cargo check{every} --all-targets", f"cargo test{every} --no-fail-fast"
    return Stack("rust", "cargo fetch", check, test, ("target/",))


def ruby(files: ProjectListing) -> Stack | None:
    if not files.has("Gemfile") and not any(name.endswith(".gemspec") for name in files.names):
        return None
    test = ""
    if files.has(".rspec", "spec/") or "rspec" in files.text("Gemfile"):
        report = f"--format json --out {REPORTS_FOLDER}/rspec.json"
        test = f"bundle exec rspec --format progress {report}"
    elif files.has("Rakefile") and files.has("test/"):
        test = "bundle exec rake test"
    check = "bundle exec rubocop" if files.has(".rubocop.yml") else ""
    # The system's own folder of gems needs root.
    setup = "bundle config set --local path vendor/bundle && bundle install"
    return Stack("ruby", setup, check, test, ("vendor/bundle/", ".bundle/"))


def php(files: ProjectListing) -> Stack | None:
    if not files.has("composer.json"):
        return None
    composer = files.json("composer.json")
    dependencies = {**table(composer, "require"), **table(composer, "require-dev")}
    test = ""
    if "test" in table(composer, "scripts"):
        test = "composer test"
    elif "pestphp/pest" in dependencies:
        test = f"vendor/bin/pest {_PHP_REPORT}"
    elif files.has("phpunit.xml", "phpunit.xml.dist") or "phpunit/phpunit" in dependencies:
        test = f"vendor/bin/phpunit {_PHP_REPORT}"
    strict = files.has("phpstan.neon", "phpstan.neon.dist")
    # It refuses a lock file that does not match a changed manifest.
    setup = "composer install" + (" || composer update" if files.has("composer.lock") else "")
    check = "vendor/bin/phpstan analyse" if strict else ""
    return Stack("php", setup, check, test, ("vendor/",))


def java(files: ProjectListing) -> Stack | None:
    if files.has("pom.xml"):
        maven = "./mvnw -B" if files.has("mvnw") else "mvn -B"
        setup, test = f"{maven} dependency:go-offline", f"{maven} test"
        return Stack("java", setup, f"{maven} test-compile", test, ("target/",))
    if files.has("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"):
        gradle = "./gradlew --no-daemon" if files.has("gradlew") else "gradle --no-daemon"
        test = f"{gradle} test --continue"
        return Stack("java", f"{gradle} testClasses", "", test, ("build/", ".gradle/"))
    return None


def dotnet(files: ProjectListing) -> Stack | None:
    if not any(name.endswith((".sln", ".slnx", ".csproj", ".fsproj")) for name in files.names):
        return None
    return Stack("dotnet", "dotnet restore", "dotnet build", "dotnet test", ("bin/", "obj/"))


def make(files: ProjectListing) -> Stack | None:
    """The setup, check and test targets of a Makefile."""
    text = files.text("GNUmakefile", "makefile", "Makefile")
    targets = {name for group in _TARGET.findall(text) for name in group.split()}
    setup, check, test = (
        next((f"make {name}" for name in names if name in targets), "")
        for names in (("setup", "bootstrap", "deps"), ("check", "lint"), ("test", "tests"))
    )
    if check == "make check" and not test:
        # In autotools and similar tools, `check` runs the tests.
        check, test = "", check
    return Stack("make", setup, check, test) if setup or check or test else None
