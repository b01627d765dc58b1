"""Compilers, test runners and package managers. Nothing is downloaded."""

from tests.toolchains.ordinary_program import OrdinaryProgram as Program

C_PROJECT = {
    "main.c": '#include <stdio.h>\nint main(void) { puts("hello"); return 0; }\n',
    "CMakeLists.txt": """
cmake_minimum_required(VERSION 3.16)
project(hello C)
enable_testing()
add_executable(hello main.c)
add_test(NAME greets COMMAND hello)
""",
    "Makefile": "test: hello\n\t./hello\nhello: main.c\n\t$(CC) -o $@ $<\n",
}
PYTHON_PROJECT = {
    "pyproject.toml": """
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "hello"
version = "1"
[tool.setuptools]
packages = ["hello"]
""",
    "hello/__init__.py": 'GREETING = "hello"\n',
    "test_hello.py": "import hello\n\ndef test_it():\n    assert hello.GREETING == 'hello'\n",
}
UV_PROJECT = {
    **PYTHON_PROJECT,
    "pyproject.toml": """
[build-system]
requires = ["uv_build"]
build-backend = "uv_build"
[project]
name = "hello"
version = "1"
requires-python = ">=3.11"
[tool.uv.build-backend]
module-root = ""
""",
}
GO_PROJECT = {
    "go.mod": "module hello\n\ngo 1.19\n",
    "hello_test.go": """package hello
import (
	"os"
	"testing"
)
func TestRename(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	if os.WriteFile(a+"/f", nil, 0o644) != nil || os.Rename(a+"/f", b+"/f") != nil {
		t.Fatal("not renamed")
	}
}
""",
}
JAVA = {
    "Hello.java": """
import java.net.*; import java.nio.file.*;
class Hello {
  public static void main(String[] arguments) throws Exception {
    Files.createDirectories(Path.of("a")); Files.createDirectories(Path.of("b"));
    Files.writeString(Path.of("a/f"), "x");
    Files.move(Path.of("a/f"), Path.of("b/f"), StandardCopyOption.ATOMIC_MOVE);
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      System.out.println("hello " + javax.net.ssl.SSLContext.getDefault().getProtocol());
    }
  }
}
"""
}
RUST_PROJECT = {
    "Cargo.toml": '[package]\nname = "hello"\nversion = "1.0.0"\nedition = "2021"\n',
    "src/lib.rs": '#[test]\nfn greets() { std::fs::rename("a/f", "b/f").unwrap(); }\n',
}

LANGUAGES = (
    Program(
        "gcc, g++ and make",
        "make -s test; cp main.c main.cpp; g++ -o plus main.cpp; ./plus",
        "hello\nhello\n",
        needs=("gcc", "g++", "make"),
        files=C_PROJECT,
    ),
    Program(
        "cmake, ninja and ctest",
        """
        cmake -G Ninja -B build >log; cmake --build build >>log
        ctest --test-dir build | grep passed
        """,
        "100% tests passed, 0 tests failed out of 1\n",
        needs=("cmake", "ninja", "ctest", "gcc"),
        files=C_PROJECT,
    ),
    Program(
        "address and thread sanitizers, with sandbox.memory_mb = 0",
        """
        for kind in address thread undefined; do gcc -fsanitize=$kind main.c -o $kind; ./$kind; done
        """,
        "hello\n" * 3,
        needs=("gcc",),
        files=C_PROJECT,
        memory="unlimited",
    ),
    Program(
        "cargo test",
        "mkdir a b; touch a/f; cargo test --offline -q 2>log | grep passed | head -1 | cut -d. -f1",
        "test result: ok\n",
        needs=("cargo",),
        files=RUST_PROJECT,
    ),
    Program(
        "go test",
        "go test ./... | cut -f1,2",
        "ok  \thello\n",
        needs=("go",),
        files=GO_PROJECT,
    ),
    Program(
        "go vet and go test with the race detector",
        "go vet ./...; go test -race ./... | cut -f1,2",
        "ok  \thello\n",
        needs=("go", "gcc"),
        files=GO_PROJECT,
        length="long",
    ),
    Program(
        "javac and java",
        "javac Hello.java; java Hello",
        "hello Default\n",
        needs=("javac", "java"),
        files=JAVA,
    ),
    Program(
        "perl and its sockets",
        "perl -MIO::Socket::INET -e 'print ref IO::Socket::INET->new(Listen => 1)'",
        "IO::Socket::INET",
        needs=("perl",),
    ),
    Program(
        "unittest",
        "python3 -m unittest -q 2>&1 | tail -1",
        "OK\n",
        files={
            "test_it.py": "import unittest\nclass T(unittest.TestCase):\n  def test(self): pass\n"
        },
    ),
    Program(
        "pytest with several workers",
        "python -m pytest -q -n 2 -p no:cacheprovider | tail -1 | cut -d' ' -f1,2",
        "1 passed\n",
        needs=("pytest",),
        files=PYTHON_PROJECT,
    ),
    Program(
        "node --test, worker threads and child processes",
        "node --test | grep -E '^(# |. )(pass|fail)' | grep -o '[pf].*'",
        "pass 2\nfail 0\n",
        needs=("node",),
        files={
            "it.test.js": """
const { test } = require("node:test");
const { Worker } = require("node:worker_threads");
const { execFileSync } = require("node:child_process");
test("a worker", (_, done) => new Worker("0", { eval: true }).on("exit", () => done()));
test("a child", () => execFileSync("true"));
"""
        },
    ),
    Program(
        "python -m venv, and pip in it",
        "python3 -m venv v; v/bin/pip --version | cut -d' ' -f1",
        "pip\n",
        length="long",
    ),
    Program(
        "an editable install with setuptools",
        """
        uv venv -q v
        export PYTHONPATH=$(python -c 'import setuptools; print(setuptools.__path__[0] + "/..")')
        uv pip install -q --python v --offline --no-build-isolation --no-deps -e .
        unset PYTHONPATH; cd /tmp; "$OLDPWD/v/bin/python" -c 'import hello; print(hello.GREETING)'
        """,
        "hello\n",
        needs=("uv",),
        files=PYTHON_PROJECT,
    ),
    Program(
        "uv lock, sync and run",
        "uv sync -q --offline; uv run -q --offline python -c 'import hello; print(hello.GREETING)'",
        "hello\n",
        needs=("uv",),
        files=UV_PROJECT,
    ),
    Program(
        "npm pack, install and run",
        """
        (cd part && npm pack -s --pack-destination ..)
        npm install -s --offline --no-audit ./part-1.0.0.tgz; npm run -s test
        """,
        "part-1.0.0.tgz\npart\n",
        needs=("npm",),
        files={
            "package.json": '{"name": "whole", "scripts": {"test": "node test.js"}}',
            "test.js": 'console.log(require("part"));',
            "part/package.json": '{"name": "part", "version": "1.0.0"}',
            "part/index.js": 'module.exports = "part";',
        },
    ),
)
