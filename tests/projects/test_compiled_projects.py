"""Rust and Go projects, whose index is on loopback."""

from pathlib import Path

from tests.projects.loopback_registry import add_crate, add_go_module, serve_registry
from tests.projects.user_project import UserProject

CRITERION = "The program greets."


def test_an_agent_adds_a_dependency_to_a_cargo_project(tmp_path: Path) -> None:
    user = UserProject(tmp_path)
    main = 'fn main() {\n    println!("{}", greeter::hello());\n}\n'
    user.write(
        {
            "SPEC.md": f"# Greeter\n\n- {CRITERION} Check: `cargo run -q | grep -qx hello`\n",
            "Cargo.toml": '[package]\nname = "app"\nversion = "1.0.0"\nedition = "2021"\n\n'
            "[dependencies]\n",
            ".gitignore": "target/\n",
            "src/main.rs": "fn main() {}\n\n#[test]\nfn starts() {\n    main();\n}\n",
        }
    )
    with serve_registry() as registry:
        add_crate(registry, "greeter", 'pub fn hello() -> &\'static str {\n    "hello"\n}\n')
        (user.home / ".cargo").mkdir()
        (user.home / ".cargo" / "config.toml").write_text(
            '[source.crates-io]\nreplace-with = "local"\n'
            f'[source.local]\nregistry = "sparse+{registry.url}/index/"\n'
        )
        user.run_tool("cargo", "generate-lockfile")
        user.commit()
        outside = user.file_made_outside("Cargo.lock", "cargo add greeter", "cargo fetch")

        user.init()
        user.try_setup()
        user.deliver_with(
            CRITERION,
            ["cargo add greeter", "cargo fetch"],
            {"src/main.rs": f"{main}\n#[test]\nfn starts() {{\n    main();\n}}\n"},
        )

    assert (user.project / "Cargo.lock").read_text() == outside


def test_an_agent_adds_a_dependency_to_a_go_project(tmp_path: Path) -> None:
    user = UserProject(tmp_path)
    test = 'package main\n\nimport "testing"\n\nfunc TestStarts(t *testing.T) { main() }\n'
    main = (
        'package main\n\nimport (\n\t"fmt"\n\n\t"greeter.test/hello"\n)\n\n'
        "func main() { fmt.Println(hello.Text) }\n"
    )
    user.write(
        {
            "SPEC.md": f"# Greeter\n\n- {CRITERION} Check: `go run . | grep -qx hello`\n",
            "go.mod": "module app.test/app\n\ngo 1.19\n",
            "main.go": "package main\n\nfunc main() {}\n",
            "main_test.go": test,
        }
    )
    user.commit()
    with serve_registry() as registry:
        add_go_module(registry, "greeter.test/hello", 'package hello\n\nconst Text = "hello"\n')
        configure = f"GOPROXY={registry.url} GONOSUMDB=greeter.test GOFLAGS=-modcacherw"
        user.run_tool("go", "env", "-w", *configure.split())
        outside = user.file_made_outside("go.sum", "go get greeter.test/hello")

        user.init()
        user.try_setup()
        user.deliver_with(CRITERION, ["go get greeter.test/hello"], {"main.go": main})

    assert (user.project / "go.sum").read_text() == outside
