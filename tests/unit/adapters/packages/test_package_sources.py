"""What all tools are configured for becomes one value, with logins where they belong."""

from pathlib import Path

from tests.unit.adapters.packages.configuration import ADA
from treadle.adapters.packages.index_summary import IndexFinding, summarize_sources
from treadle.adapters.packages.package_sources import (
    IndexLogin,
    PackageSources,
    ProjectIndex,
    SkippedTool,
    ToolSources,
    UnsupportedIndex,
    combine_sources,
    find_login_files,
)
from treadle.domain.package_index import PackageIndex

A = PackageIndex("python", "https://a.example/simple")
B = PackageIndex("node", "https://b.example/npm/")


def with_login(index: PackageIndex, header: str = ADA) -> PackageIndex:
    return PackageIndex(index.kind, index.url, header)


def test_an_index_of_two_tools_is_one_with_its_login() -> None:
    tools = [ToolSources(indexes=(A, B)), ToolSources(indexes=(with_login(A),))]

    assert combine_sources(tools, (), logins=(), skipped=()).indexes == (with_login(A), B)


def test_the_login_with_the_longest_address_fits_best() -> None:
    tools = [ToolSources(indexes=(B,))]
    logins = [
        IndexLogin("Bearer host", "node", url="//b.example/"),
        IndexLogin("Bearer path", "node", url="//b.example/npm/"),
        IndexLogin("Bearer below", "node", url="//b.example/npm/deeper/"),
        IndexLogin("Bearer kind", "python", url="https://b.example/npm/"),
    ]

    found = combine_sources(tools, (), logins=logins, skipped=())

    assert found.indexes == (with_login(B, "Bearer path"),)


def test_an_index_of_the_project_counts_if_it_is_an_index_of_the_user() -> None:
    same = ProjectIndex(PackageIndex("python", "https://a.example/simple/"), "uv.toml")
    below = ProjectIndex(PackageIndex("python", "https://a.example/simple/admin/"), "uv.toml")
    beside = ProjectIndex(PackageIndex("python", "https://a.example/secrets/"), "uv.toml")
    logins = [IndexLogin(ADA, "python", host="a.example")]

    found = combine_sources(
        [ToolSources(indexes=(A,))], (same, below, beside), logins=logins, skipped=()
    )

    assert found.indexes == (with_login(A), with_login(same.index))
    assert found.project_indexes == (below, beside)


def test_a_login_of_the_project_counts_for_an_index_of_the_user_without_another() -> None:
    other = PackageIndex("node", "https://c.example/npm/", "Bearer own")
    logins = [
        IndexLogin("Bearer same", "node", url="//b.example/npm"),
        IndexLogin("Bearer host", "node", url="//b.example/"),
        IndexLogin("Bearer other", "node", url="//c.example/npm/"),
    ]
    tools = [ToolSources(indexes=(B, other))]

    found = combine_sources(tools, (), logins=(), skipped=(), project_logins=logins)

    assert found.indexes == (with_login(B, "Bearer same"), other)


def test_the_parts_of_all_tools_are_put_together() -> None:
    unsupported = UnsupportedIndex("go", "direct", "set GOPROXY")
    tools = [
        ToolSources(variables={"A": "1"}, home_files={".npmrc": "x"}, authorities=("/ca.pem",)),
        ToolSources(variables={"B": "2"}, authorities=("/ca.pem",), unsupported=(unsupported,)),
    ]
    skipped = SkippedTool("npm", "ended with exit code 1")

    assert combine_sources(tools, (), logins=(), skipped=[skipped, skipped]) == PackageSources(
        variables={"A": "1", "B": "2"},
        home_files={".npmrc": "x"},
        authorities=("/ca.pem",),
        unsupported=(unsupported,),
        skipped=(skipped,),
    )


def test_no_login_is_shown() -> None:
    sources = combine_sources(
        [ToolSources(indexes=(with_login(A, "Bearer hunter2"),))],
        (),
        logins=[IndexLogin("Bearer hunter2", "python", host="a.example")],
        skipped=(),
    )

    assert "hunter2" not in repr((sources, IndexLogin("hunter2", "rust")))


def test_files_that_hold_a_login_are_named() -> None:
    contents = {
        Path("/plain"): "https://ada:hunter2@a.example/",
        Path("/header"): "//a.example/:_auth=YWRhOmh1bnRlcjI=",
        Path("/password"): "//a.example/:_password=aHVudGVyMg==",
        Path("/token"): 'token = "secret"',
        Path("/none"): "registry=https://a.example/",
    }

    assert find_login_files(contents, [with_login(A), with_login(B, "Bearer secret")]) == (
        *("/plain", "/header", "/password", "/token"),
    )
    assert find_login_files(contents, [A]) == ()


def test_doctor_gets_a_line_for_each_language_and_each_problem() -> None:
    sources = PackageSources(
        indexes=(A, with_login(PackageIndex("python", "https://c.example/")), B),
        project_indexes=(ProjectIndex(PackageIndex("node", "https://d.example/"), ".npmrc"),),
        unsupported=(
            UnsupportedIndex("pip", "file:///srv", "name it in sandbox.readable"),
            UnsupportedIndex("gradle", "", "allow the hosts"),
        ),
        skipped=(SkippedTool("go", "no answer within 10 seconds"),),
    )

    assert summarize_sources(sources) == (
        IndexFinding("good", "python: https://a.example/simple, https://c.example/ (login)"),
        IndexFinding("good", "node: https://b.example/npm/"),
        IndexFinding(
            "warning",
            ".npmrc names https://d.example/, which your own tools do not",
            "add it to the configuration of your own tool, or, without a login, "
            'sandbox.hosts = ["d.example:443"]',
        ),
        IndexFinding("warning", "pip: file:///srv", "name it in sandbox.readable"),
        IndexFinding("warning", "gradle", "allow the hosts"),
        IndexFinding("warning", "go is skipped: no answer within 10 seconds"),
    )
