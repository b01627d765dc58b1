"""Names that belong to runners, standard libraries and installed packages. Data."""

import sys

# Modules of Python that judge, or that are loaded before and beside the tests.
_PYTHON_TOOLS = frozenset(
    {
        *("pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "exceptiongroup", "tomli"),
        *(
            "pygments",
            "colorama",
            "xdist",
            "execnet",
            "coverage",
            "hypothesis",
            "_hypothesis_pytestplugin",
        ),
        *("hypothesis_pytestplugin", "nose", "nose2", "tox", "nox", "unittest2", "mock", "behave"),
        *("robot", "robotframework", "ward", "twisted", "testtools", "subunit", "testresources"),
        *(
            "parameterized",
            "ddt",
            "freezegun",
            "time_machine",
            "responses",
            "requests_mock",
            "respx",
        ),
        *(
            "vcr",
            "factory",
            "faker",
            "assertpy",
            "hamcrest",
            "sure",
            "expects",
            "deepdiff",
            "syrupy",
        ),
        *("snapshottest", "testfixtures", "doctest", "green", "stestr", "trial", "mutmut"),
        *("setuptools", "_distutils_hack", "pkg_resources", "distutils", "pip", "wheel", "six"),
        *(
            "attr",
            "attrs",
            "typing_extensions",
            "importlib_metadata",
            "importlib_resources",
            "zipp",
        ),
        *("sortedcontainers", "anyio", "trio", "virtualenv", "filelock", "platformdirs", "distlib"),
        *(
            "sitecustomize",
            "usercustomize",
            "conftest",
            "mypy",
            "ruff",
            "flake8",
            "pylint",
            "pyflakes",
        ),
    }
)
_PYTHON_TOOL_STARTS = ("pytest_", "_pytest_", "nose_", "tox_", "coverage_")
# Installed under another name than they are imported by.
IMPORT_NAMES = {
    "pyyaml": "yaml",
    "beautifulsoup4": "bs4",
    "pillow": "pil",
    "scikit_learn": "sklearn",
    "python_dateutil": "dateutil",
    "opencv_python": "cv2",
    "python_dotenv": "dotenv",
    "pytest_xdist": "xdist",
    "factory_boy": "factory",
    "pyjwt": "jwt",
    "attrs": "attr",
}

# Folders of installed packages and of what tools build; never part of the work.
INSTALLED_FOLDERS = frozenset(
    {
        *("node_modules", ".venv", "venv", "site-packages", "dist-packages", "__pycache__"),
        *("__pypackages__", ".tox", ".nox", ".eggs", ".pytest_cache", ".mypy_cache", ".hypothesis"),
        *("bower_components", ".gradle", ".dart_tool", "dist-newstyle", ".stack-work", "elm-stuff"),
        *(".zig-cache", "zig-cache", ".build", ".parcel-cache", ".nyc_output"),
    }
)
INSTALLED_ENDINGS = (".pyc", ".pyo", ".egg-link")
# Folders that a tool fills, next to the file that the tool works by.
BUILT_FOLDERS: dict[str, tuple[str, ...]] = {
    "vendor": ("go.mod", "composer.json"),
    "bundle": ("../Gemfile", "../gems.rb"),
    "target": ("Cargo.toml", "pom.xml", "build.sbt"),
    "build": ("build.gradle", "build.gradle.kts", "CMakeLists.txt"),
    "deps": ("mix.exs", "rebar.config"),
    "_build": ("mix.exs", "rebar.config", "dune-project"),
    "obj": ("*.csproj", "*.fsproj", "*.sln"),
    "Pods": ("Podfile",),
}

# Files of load paths that come before the standard library, below the folder of the path.
LOAD_FOLDERS = ("lib", "test", "spec", "t/lib", "inc", "t", "")
RUBY_FILES = (
    *("minitest.rb", "minitest/*", "rspec.rb", "rspec/*", "test/unit.rb", "test/unit/*"),
    *("test-unit.rb", "rake.rb", "rake/*", "bundler.rb", "bundler/*", "rubygems.rb"),
    *("rubygems_plugin.rb", "simplecov.rb", "cucumber.rb", "power_assert.rb", "diff/lcs.rb"),
    *("set.rb", "json.rb", "yaml.rb", "psych.rb", "time.rb", "date.rb", "open3.rb", "tempfile.rb"),
    *("fileutils.rb", "pathname.rb", "stringio.rb", "securerandom.rb", "digest.rb", "csv.rb"),
    *("erb.rb", "ostruct.rb", "optparse.rb", "logger.rb", "timeout.rb", "socket.rb", "uri.rb"),
    *("English.rb", "abbrev.rb", "base64.rb", "benchmark.rb", "bigdecimal.rb", "delegate.rb"),
    *("forwardable.rb", "getoptlong.rb", "open-uri.rb", "openssl.rb", "optionparser.rb", "pp.rb"),
    *("prettyprint.rb", "ripper.rb", "shellwords.rb", "strscan.rb", "tmpdir.rb", "tsort.rb"),
    *("zlib.rb", "io/console.rb", "net/http.rb"),
)
PERL_FILES = (
    *("Test/*", "Test2/*", "Test.pm", "TAP/*", "App/Prove*", "Devel/Cover*", "strict.pm"),
    *("warnings.pm", "Carp.pm", "lib.pm", "parent.pm", "base.pm", "Exporter.pm", "feature.pm"),
    *("Scalar/Util.pm", "List/Util.pm", "Sub/Util.pm", "Data/Dumper.pm", "JSON/PP.pm", "Cwd.pm"),
    *("File/Temp.pm", "File/Spec.pm", "File/Spec/*", "File/Basename.pm", "File/Compare.pm"),
    *("File/Copy.pm", "File/Find.pm", "File/Path.pm", "FindBin.pm", "Getopt/Long.pm", "POSIX.pm"),
    *("IO/File.pm", "IO/Handle.pm", "IPC/Open2.pm", "IPC/Open3.pm", "IPC/Cmd.pm", "English.pm"),
    *("Storable.pm", "Symbol.pm", "Encode.pm", "Config.pm", "utf8.pm", "constant.pm", "vars.pm"),
    *("Text/ParseWords.pm", "Text/Wrap.pm", "Text/Tabs.pm", "Text/Balanced.pm", "Text/Abbrev.pm"),
    *("Tie/File.pm", "Tie/Hash.pm", "Tie/Array.pm", "Time/HiRes.pm", "Time/Local.pm"),
    *("Time/Piece.pm", "Digest/MD5.pm", "Digest/SHA.pm", "MIME/Base64.pm", "overload.pm"),
)
# Packages of test libraries; a class of that name in the work comes before theirs.
CLASS_FOLDERS = (
    *("org/junit", "junit/framework", "org/hamcrest", "org/mockito", "org/assertj", "org/testng"),
    *("org/spockframework", "spock/lang", "kotlin/test", "io/kotest", "io/mockk", "org/scalatest"),
    *("com/google/common/truth", "org/apache/maven/surefire", "org/opentest4j", "utest"),
    *("PHPUnit", "Pest", "Mockery", "Behat", "Codeception", "Prophecy"),
)
# Headers that a compiler would find before those of the system or of a test library.
HEADERS = frozenset(
    {
        *("assert.h", "stdio.h", "stdlib.h", "string.h", "stddef.h", "stdint.h", "stdbool.h"),
        *("setjmp.h", "signal.h", "stdarg.h", "ctype.h", "errno.h", "limits.h", "math.h", "time.h"),
        *("float.h", "unistd.h", "cassert", "cstdlib", "cstdio", "cstring", "iostream", "string"),
        *("vector", "stdexcept", "exception", "check.h", "cmocka.h", "munit.h", "greatest.h"),
        *("catch.hpp", "catch_amalgamated.hpp", "doctest.h", "unity.h", "criterion.h", "CUnit.h"),
        *("acutest.h", "utest.h", "tap.h", "minunit.h", "ctest.h"),
    }
)
HEADER_FOLDERS = (
    "gtest",
    "gmock",
    "catch2",
    "doctest",
    "criterion",
    "CUnit",
    "CppUTest",
    "cppunit",
)
JARS = (
    "junit*.jar",
    "hamcrest*.jar",
    "mockito*.jar",
    "testng*.jar",
    "surefire*.jar",
    "assertj*.jar",
)


def is_python_tool(name: str) -> bool:
    """Whether a module of this name judges, or belongs to Python itself."""
    return (
        name in sys.stdlib_module_names
        or name in _PYTHON_TOOLS
        or name.startswith(_PYTHON_TOOL_STARTS)
    )
