"""Added files that take the place of a runner, a library or a tool are known, and no others."""

import pytest

from tests.unit.verify.tree_pairs import Files, read_pair
from treadle.verify.commands.command_files import read_command
from treadle.verify.pins.shadow_files import find_namesakes, find_shadows, installed_reason

PYTHON: Files = {"shop/__init__.py": "", "shop/cart.py": "", "tests/test_cart.py": ""}
FLAT: Files = {"cart.py": "", "test_cart.py": ""}
LOOSE: Files = {"app/main.py": "", "tests/test_main.py": "from app.main import run\n"}


def shadows(
    base: Files, added: str, command: str = "python3 -m pytest", *, is_link: bool = False
) -> str:
    links = frozenset({added}) if is_link else frozenset[str]()
    pair = read_pair(base, {**base, added: ""}, links)
    return find_shadows(pair, read_command(command, pair)).get(added, "")


@pytest.mark.parametrize(
    ("base", "added", "reason"),
    [
        (PYTHON, "json.py", "shadows json"),
        (PYTHON, "src/json.py", "shadows json"),
        (PYTHON, "lib/unittest/__init__.py", "shadows unittest"),
        (PYTHON, "tests/random.py", "shadows random"),
        (FLAT, "pytest_plugin.py", "shadows pytest_plugin"),
        (FLAT, "test_cart/__init__.py", "shadows test_cart"),
        (FLAT, "test_cart.cpython-311-x86_64-linux-gnu.so", "shadows test_cart"),
        (FLAT, "sitecustomize/__init__.py", "shadows sitecustomize"),
        ({"app/main.py": "", "app/test_main.py": ""}, "app/types.py", "shadows types"),
        (
            {"app/main.py": "", "tests/test_main.py": "from main import x\n"},
            "app/types.py",
            "shadows types",
        ),
        ({**FLAT, "requirements.txt": "PyYAML>=6  # data\n"}, "yaml.py", "shadows yaml"),
        (
            {**FLAT, "pyproject.toml": '[dependency-groups]\ndev = ["python-dateutil"]\n'},
            "dateutil/__init__.py",
            "shadows dateutil",
        ),
        ({"checks/slug.py": "", "check_all.py": ""}, "checks.py", ""),
        ({"checks/test_slug.py": ""}, "checks.py", "shadows checks"),
    ],
)
def test_a_python_module_shadows_a_library_or_a_test(base: Files, added: str, reason: str) -> None:
    assert shadows(base, added) == reason


@pytest.mark.parametrize(
    ("base", "added"),
    [
        (PYTHON, "shop/types.py"),
        (PYTHON, "shop/json/__init__.py"),
        (PYTHON, "shop/calendar/views.py"),
        (PYTHON, "src/shop2/types.py"),
        (PYTHON, "json/data.py"),
        (PYTHON, "email/welcome.html"),
        (PYTHON, "site/index.html"),
        (PYTHON, "types.ts"),
        (FLAT, "helpers.py"),
        (FLAT, "cart/__init__.py"),
        (LOOSE, "app/logging.py"),
        (
            {**FLAT, "pyproject.toml": '[project]\nname = "shop"\ndependencies = ["shop[all]"]\n'},
            "shop/__init__.py",
        ),
    ],
)
def test_a_module_of_the_product_does_not(base: Files, added: str) -> None:
    assert shadows(base, added) == ""


@pytest.mark.parametrize(
    ("command", "added", "reason"),
    [
        ("cd web && python3 -m pytest", "web/json.py", "shadows json"),
        ("PYTHONPATH=libs pytest", "libs/attr/__init__.py", "shadows attr"),
        ("python3 app/run.py", "app/re.py", ""),
        ("PATH=tools:$PATH make check", "tools/diff", "shadows diff"),
        ("PATH=tools:$PATH make check", "tools/shop", ""),
        ("make check", "tools/diff", ""),
        ("ruby -Ilib t.rb", "lib/minitest.rb", "shadows minitest.rb"),
        ("ruby -Ilib t.rb", "lib/minitest/bad_plugin.rb", "shadows minitest/bad_plugin.rb"),
        ("ruby -Ilib t.rb", "lib/shop/set.rb", ""),
        ("RUBYLIB=deps ruby t.rb", "deps/set.rb", "shadows set.rb"),
        ("prove -l", "lib/Test/More.pm", "shadows Test/More.pm"),
        ("prove -l", "lib/Text/ParseWords.pm", "shadows Text/ParseWords.pm"),
        ("prove -l", "lib/Shop/Cart.pm", ""),
        ("mvn test", "src/main/java/org/junit/Test.java", "shadows org/junit"),
        ("mvn test", "src/main/java/org/shop/Cart.java", ""),
        ("mvn test", "lib/junit-4.jar", "shadows junit-4.jar"),
        ("phpunit", "src/PHPUnit/Assert.php", "shadows PHPUnit"),
        ("make check", "include/assert.h", "shadows assert.h"),
        ("make check", "include/gtest/gtest.h", "shadows gtest/gtest.h"),
        ("make check", "src/cart/time.h", ""),
    ],
)
def test_other_search_paths_are_known(command: str, added: str, reason: str) -> None:
    assert shadows({"a.txt": ""}, added, command) == reason


@pytest.mark.parametrize(
    ("base", "added", "displaced"),
    [
        ("must.py", "must/__init__.py", {"must/__init__.py": "must.py"}),
        ("app/must.py", "app/must/__init__.py", {"app/must/__init__.py": "app/must.py"}),
        ("must.py", "must.abi3.so", {"must.abi3.so": "must.py"}),
        ("must/index.js", "must.js", {"must.js": "must/index.js"}),
        ("src/must.ts", "src/must.js", {"src/must.js": "src/must.ts"}),
        ("must.py", "must/data.py", {}),
        ("must.py", "must2/__init__.py", {}),
        ("must.js", "must.test.ts", {}),
        ("must.js", "must/index.js", {}),
    ],
)
def test_an_added_file_may_be_loaded_instead_of_one_of_the_base(
    base: str, added: str, displaced: dict[str, str]
) -> None:
    assert find_namesakes(read_pair({base: ""}, {base: "", added: ""})) == displaced
    assert find_namesakes(read_pair({base: ""}, {added: ""})) == {}


def test_a_link_stands_for_a_package() -> None:
    assert shadows(PYTHON, "unittest", is_link=True) == "shadows unittest"
    assert shadows(PYTHON, "unittest") == ""


@pytest.mark.parametrize(
    ("base", "path", "reason"),
    [
        ({}, "node_modules/.bin/jest", "a place of installed packages"),
        ({}, "web/node_modules/vitest/index.js", "a place of installed packages"),
        ({}, ".venv/lib/python3.11/site-packages/x.pth", "a place of installed packages"),
        ({}, "shop/__pycache__/cart.cpython-311.pyc", "a place of installed packages"),
        ({}, "json.pyc", "a place of installed packages"),
        ({"composer.json": ""}, "vendor/autoload.php", "a place of installed packages"),
        ({"go.mod": ""}, "vendor/a.example/x/x.go", "a place of installed packages"),
        ({"go.mod": "", "vendor/a/x.go": ""}, "vendor/a/x.go", "a place of installed packages"),
        ({"go.mod": "", "vendor/a/x.go": ""}, "vendor/a/init.go", "a place of installed packages"),
        ({"go.mod": "", "vendor/a/x.go": ""}, "vendor/b/y.go", ""),
        ({"go.mod": "", "vendor/a/x.go": ""}, "vendor/modules.txt", ""),
        ({"Gemfile": ""}, "vendor/bundle/ruby/x.rb", "a place of what tools build"),
        ({"Gemfile": ""}, "vendor/javascript/chart.js", ""),
        ({"pom.xml": ""}, "target/test-classes/A.class", "a place of what tools build"),
        ({"App.csproj": ""}, "obj/project.assets.json", "a place of what tools build"),
        ({}, "target/cart.txt", ""),
        ({}, "public/vendor/jquery.js", ""),
        ({}, "vendor/logo.svg", ""),
        ({}, "dist/index.js", ""),
    ],
)
def test_installed_and_built_files_are_no_product(base: Files, path: str, reason: str) -> None:
    assert installed_reason(path, read_pair(base, {**base, path: "new"})) == reason
