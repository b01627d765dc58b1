"""Manifests in lines take plain dependencies of the work, and keep all else of the base."""

import pytest

from treadle.verify.manifests.line_manifests import merge_go_mod, merge_requirements_file
from treadle.verify.manifests.manifest_merge import manifest_merge

GEMFILE = 'source "https://gems.example"\n\ngroup :test do\n  gem "rspec", "~> 3.0"\nend\n'
GO = "module shop\n\ngo 1.21\n\nrequire a.example/x v1.0.0\n\nreplace a.example/y => ../y\n"
GRADLE = "plugins { id 'java' }\ndependencies {\n    testImplementation 'junit:junit:4.13'\n}\n"
MIX = 'defp deps do\n  [\n    {:ex_doc, "~> 0.30"}\n  ]\nend\n'


def merged(name: str, base: str | None, work: str) -> str | None:
    merge = manifest_merge(name)
    assert merge is not None
    result = merge(None if base is None else base.encode(), work.encode())
    return None if result is None else result.decode()


@pytest.mark.parametrize(
    ("name", "base", "work"),
    [
        ("Gemfile", GEMFILE, GEMFILE + 'gem "money", "~> 6.0", ">= 6.1"\n'),
        ("Gemfile", GEMFILE + 'gem "money"\n', GEMFILE + "gem 'money', '7.0'\n"),
        ("shop.gemspec", "x\n", 'x\n  spec.add_dependency "money", "~> 6"\n'),
        (
            "build.gradle",
            GRADLE,
            GRADLE.replace("dependencies {\n", "dependencies {\n    implementation 'a.b:c:1.0'\n"),
        ),
        ("build.gradle.kts", "x\n", 'x\n    implementation("a.b:c:1.0")\n'),
        ("mix.exs", MIX, MIX.replace("[\n", '[\n    {:jason, "~> 1.4"},\n')),
        ("build.sbt", "x\n", 'x\nlibraryDependencies += "a.b" %% "c" % "1.0" % Test\n'),
        (
            "pubspec.yaml",
            "dependencies:\n  a: ^1.0.0\n",
            "dependencies:\n  a: ^1.0.0\n  http: ^1.2.0\n",
        ),
        ("go.mod", GO, GO.replace("x v1.0.0", "x v1.1.0\nrequire b.example/z v0.1.0 // indirect")),
        (
            "requirements.txt",
            "flask\n",
            "flask>=3\n# for dates\npython-dateutil==2.9 ; python_version > '3.8'\n",
        ),
        ("requirements-dev.txt", "pytest==8\n", "pytest==8\npytest-cov\n"),
    ],
)
def test_plain_dependencies_are_taken(name: str, base: str, work: str) -> None:
    assert merged(name, base, work) == work


@pytest.mark.parametrize(
    ("name", "base", "work"),
    [
        ("Gemfile", GEMFILE, GEMFILE.replace('"~> 3.0"', 'path: "fake"')),
        ("Gemfile", GEMFILE, GEMFILE.replace('"~> 3.0"', '"0.1"')),
        ("Gemfile", GEMFILE, GEMFILE.replace('  gem "rspec", "~> 3.0"\n', "")),
        ("Gemfile", GEMFILE, GEMFILE + 'gem "fake", git: "https://a.example/fake"\n'),
        ("Gemfile", GEMFILE, GEMFILE + 'system "exit"\n'),
        ("Gemfile", GEMFILE, GEMFILE.replace("gems.example", "a.example")),
        ("build.gradle", GRADLE, GRADLE + "test { enabled = false }\n"),
        ("build.gradle", GRADLE, GRADLE.replace("'junit:junit:4.13'", "files('fake.jar')")),
        ("mix.exs", MIX, MIX.replace("[\n", '[\n    {:ex_unit_fake, path: "fake"},\n')),
        ("go.mod", GO, GO + "replace github.com/stretchr/testify => ./fake\n"),
        ("go.mod", GO, GO + "replace (\n\tgithub.com/stretchr/testify => ./fake\n)\n"),
        (
            "go.mod",
            GO,
            GO.replace("replace a.example/y => ../y\n", "replace a.example/y => ../z\n"),
        ),
        ("requirements.txt", "pytest==8\n", "pytest==1\n"),
        ("requirements.txt", "pytest==8\n", "pytest==8\n-e ./fake\n"),
        ("requirements.txt", "pytest==8\n", "pytest==8\n./fake\n"),
        ("requirements.txt", "pytest==8\n", "pytest==8\n--index-url https://a.example\n"),
        ("requirements.txt", "pytest==8\n", "pytest==8\nfake @ https://a.example/x.whl\n"),
        ("requirements.txt", "pytest==8\n", "pytest==8\n-r more.txt\n"),
        ("requirements.txt", "-r base.txt\npytest==8\n", "pytest==8\n"),
    ],
)
def test_all_else_is_the_bases(name: str, base: str, work: str) -> None:
    lines = sorted(line for line in (merged(name, base, work) or "").splitlines() if line)

    assert lines == sorted(line for line in base.splitlines() if line)


@pytest.mark.parametrize(
    ("name", "work", "is_taken"),
    [
        (
            "Gemfile",
            '# plain\nsource "https://gems.example"\nruby "3.2"\ngem "rspec"\n',
            True,
        ),
        ("Gemfile", 'source "https://gems.example"\neval_gemfile "x"\n', False),
        ("Gemfile", 'gem "rspec", path: "fake"\n', False),
        ("build.gradle", GRADLE, False),
        ("mix.exs", MIX, False),
        ("pom.xml", "<project></project>", False),
        ("CMakeLists.txt", "add_library(a a.c)", False),
    ],
)
def test_an_added_manifest_that_is_code_is_left_out(name: str, work: str, is_taken: bool) -> None:
    assert merged(name, None, work) == (work if is_taken else None)


def test_an_added_go_module_replaces_nothing() -> None:
    work = "module shop\n\ngo 1.21\n\nrequire a.example/x v1\n\nreplace a.example/x => ./x\n"

    assert merge_go_mod(None, work.encode()).decode() == (
        "module shop\n\ngo 1.21\n\nrequire a.example/x v1\n\n"
    )


def test_added_requirements_are_plain() -> None:
    assert merge_requirements_file(None, b"rich>=13\n-e .\n") == b"rich>=13\n"


def test_a_name_that_is_no_manifest_has_no_merge() -> None:
    assert [name for name in ("app.py", "data.json", "notes.txt") if manifest_merge(name)] == []
