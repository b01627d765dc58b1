"""Rules for judge files: the names of tests, their data, and what runs and counts them. Data."""

from dataclasses import dataclass

from treadle.domain.events.verification import EvidenceFileKind


@dataclass(frozen=True, slots=True)
class JudgeRule:
    """Matches paths by file name, by a parent directory or as a whole, as lower-case globs."""

    kind: EvidenceFileKind
    names: tuple[str, ...] = ()
    # With upper and lower case as they are.
    exact_names: tuple[str, ...] = ()
    # One of several parts, or with a slash before it, matches only at the top of the project.
    directories: tuple[str, ...] = ()
    # Whole paths, from the top of the project.
    paths: tuple[str, ...] = ()
    # Names of other files that a glob above fits too.
    exceptions: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()


_COVERAGE = JudgeRule(
    "coverage",
    names=(
        *(".coveragerc", "coveragerc", "codecov.y*ml", ".codecov.y*ml", ".coveralls.y*ml"),
        *(".nycrc*", "nyc.config.*", ".c8rc*", ".lcovrc", ".simplecov", "*tarpaulin.toml"),
        *("vitest.config.*", "vitest.workspace.*", "vite.config.*", "jest.config.*"),
        *("jest-*.config.*", "karma.conf.*", "karma.*.conf.*", "phpunit.xml*", "*.runsettings"),
        *("sonar-project.properties", "coverlet*.json", "infection.json*", ".luacov"),
    ),
    examples=(".coveragerc", "web/vitest.config.ts", "codecov.yml", "jest.config.js"),
)

_CI = JudgeRule(
    "ci",
    names=(
        *(".gitlab-ci.y*ml", ".travis.y*ml", ".drone.y*ml", ".cirrus.y*ml", ".woodpecker.y*ml"),
        *("jenkinsfile*", "azure-pipelines*.y*ml", "bitbucket-pipelines.y*ml"),
        *("appveyor.y*ml", ".appveyor.y*ml", "cloudbuild.y*ml", "buildspec.y*ml", "codemagic.y*ml"),
    ),
    directories=(
        *(".github/workflows", ".github/actions", ".gitlab/ci"),
        *(".forgejo/workflows", ".gitea/workflows", "/.ci"),
        *(".circleci", ".buildkite", ".woodpecker", ".azure-pipelines"),
    ),
    examples=(".github/workflows/ci.yml", ".gitlab-ci.yml", ".circleci/config.yml", ".ci/run"),
)

# Files that runners, interpreters, build tools and package managers load by themselves.
_RUNNER = JudgeRule(
    "runner",
    names=(
        # Python
        *("usercustomize.py", "*.pth", "*.egg-link", "pyvenv.cfg", "noxfile.py"),
        *("tox*.toml", "pytest.toml", ".pytest.toml", "nose.cfg", ".noserc", "unittest.cfg"),
        *("behave.ini", ".behaverc", "hatch.toml", "dodo.py", "pavement.py", ".pdbrc*"),
        *("robot.toml", "robot.y*ml", ".robotidy"),
        # JavaScript
        *(".npmrc", ".yarnrc*", ".pnpmfile.*", "pnpmfile.*", ".pnp.*", "pnpm-workspace.y*ml"),
        *(".babelrc*", "babel.config.*", ".swcrc", "bunfig.toml", "import_map.json", "deno.json*"),
        *("importmap.json", "ava.config.*", ".taprc", ".jasmine.json", "jasmine.json"),
        *("web-test-runner.config.*", "wdio.*conf.*", ".testcaferc*", "nightwatch.*"),
        *("setuptests.*", "setup-tests.*", "setuptest.*", "vitest.global*", "jest-setup.*"),
        *("jest.preset.*", "jest.global*", ".testem*", "testem.*", "cucumber.*", ".cucumber.*"),
        *("gulpfile.*", "gruntfile.*", "jakefile*", "nx.json", "turbo.json*", "node.config.json"),
        *("lerna.json", "rush.json", "*+*.patch", "*@*.patch", "angular.json", "craco.config.*"),
        *("config-overrides.js", ".wireitrc"),
        # Go, Rust, Zig, Ruby, PHP, Perl, Elixir, Lua, OCaml, Haskell, Clojure, Dart, Swift
        *("go.work", "go.work.sum", "build.rs", "nextest.toml", "rust-toolchain*", "makefile.toml"),
        *("build.zig", ".rspec*", ".irbrc", "rubygems_plugin.rb", "guardfile", "*.gemspec"),
        *("behat*.y*ml", "codeception*.y*ml", "phpspec*.y*ml", ".phpunit*", "php.ini", ".user.ini"),
        *("phpunit*.phar", "pest.php", "kahlan-config.php", ".proverc", "mix.exs", ".iex.exs"),
        *(".busted", "dune", "dune-project", "*.cabal", "stack.y*ml", "tests.edn", "deps.edn"),
        *("project.clj", "rebar.config", "dart_test.y*ml", "package.swift"),
        # Java, .NET, C
        *("gradlew*", "mvnw*", "gradle.properties", "settings.gradle*", "init.gradle*", "*.gradle"),
        *("junit-platform.properties", "org.junit.*", "org.testng.*", "org.spockframework.*"),
        *("testng*.xml", "build.sbt", "*.sln", "*.slnx", "*.slnf", "directory.build.*"),
        *("directory.packages.props", "nuget.config", "xunit.runner.json", "*.testsettings"),
        *("*.cmake", "cmakepresets.json", "cmakeuserpresets.json", "cmakelists.txt"),
        *("meson.build", "meson_options.txt", "meson.options", "*.bazel", ".bazelrc"),
        *("configure.ac", "configure.in", "*.am", "sconstruct", "sconscript", "wscript"),
        # All of them
        *("rakefile", "rakefile.rb", "taskfile.dist.y*ml", "*.just", "magefile.go", "earthfile"),
        *(".env", ".env.test*", ".env.local", ".env.*.local", ".env.ci", ".envrc", ".flaskenv"),
        *(".gitattributes", ".gitmodules", ".lfsconfig", ".python-version", ".nvmrc"),
        *(".node-version", ".tool-versions", ".mise.toml", "mise.toml", ".mise.*.toml"),
        *(".ruby-version", ".java-version", ".php-version", ".go-version", ".sdkmanrc"),
        *(".perl-version", ".crystal-version", ".xcode-version", ".swift-version"),
        *(".bashrc", ".profile", ".bash_profile", ".zshrc", ".zshenv", ".curlrc", ".wgetrc"),
        *(".ripgreprc", ".batsrc", ".shellspec", "activate", "activate.*"),
    ),
    exact_names=("BUILD", "WORKSPACE"),
    directories=(
        *(".mvn", ".bundle", ".yarn", ".nx", "gradle/wrapper", "buildsrc", "build-logic"),
        *(".config/mise", "/magefiles", "*.egg-info", "*.dist-info"),
    ),
    paths=(
        *("global.json", "project/*.sbt", "project/build.properties"),
        # Elsewhere it is a module like others.
        *("setup.py", "packages/*/setup.py", "libs/*/setup.py"),
    ),
    examples=(
        *(".npmrc", "web/.yarnrc.yml", "pkg/go.work", ".env.test", "gradle/wrapper/gradle.jar"),
        *("CMakeLists.txt", "Rakefile", ".python-version", ".mvn/jvm.config", "build.rs"),
        *("lib/BUILD", "patches/vitest+1.0.0.patch", "global.json", ".env"),
        "app.egg-info/entry_points.txt",
    ),
)

_LINT = JudgeRule(
    "lint",
    names=(
        *("ruff.toml", ".ruff.toml", ".flake8", "mypy.ini", ".mypy.ini", "*pylintrc"),
        *("pyrightconfig.json", ".bandit", ".eslintrc*", "eslint.config.*", ".eslintignore"),
        *(".prettierrc*", "prettier.config.*", ".prettierignore", "biome.json*"),
        *("tsconfig*.json", "jsconfig*.json", "tslint.json", ".stylelintrc*", "stylelint.config.*"),
        *(".rubocop*.y*ml", ".golangci.*", "*clippy.toml", "*rustfmt.toml", ".credo.exs"),
        *("phpstan*.neon*", "phpcs.xml*", ".php-cs-fixer*", "psalm.xml*", "checkstyle.xml"),
        *("detekt.y*ml", ".swiftlint.y*ml", ".clang-tidy", ".clang-format", ".editorconfig"),
        *(".markdownlint*", ".yamllint*", ".shellcheckrc", ".hadolint.y*ml", ".oxlintrc*"),
        *(".pre-commit-config.y*ml", "lefthook.y*ml", ".lintstagedrc*", "lint-staged.config.*"),
        # These files contain linter settings, and the commands that run the other tools.
        *("pyproject.toml", "setup.cfg", "tox.ini", "package.json"),
        *("cargo.toml", "composer.json", "build.gradle*", "pom.xml"),
        *("makefile", "gnumakefile", "*.mk", "*.mak", "justfile", ".justfile", "taskfile.y*ml"),
    ),
    directories=(".husky", ".cargo"),
    examples=("ruff.toml", ".eslintrc.json", "pyproject.toml", "Makefile", "app/tsconfig.json"),
)

_TESTS = JudgeRule(
    "tests",
    names=(
        *("test_*", "*_test.*", "*.test.*", "*.spec.*", "*_spec.*", "test.*", "tests.*"),
        # The names that node and others look for; those of unittest are in `pin_plan`.
        *(
            "*_test",
            "*_tests.[!p]*",
            "test-*",
            "*-tests.*",
            "*.test-d.*",
            "*.bats",
            "*.t",
        ),
        *("*-test.[cm]js", "*-test.[cm]ts", "*-test.js*", "*-test.ts*", "*-test.el", "*-tests.el"),
        *("*-spec.[cm]js", "*-spec.js*", "*-spec.ts*", "*.cy.[jt]s*", "*.e2e.*", "*.e2e-spec.*"),
        *("*test.cs", "*tests.cs", "*test.java", "*tests.java", "test*.java", "*testcase.java"),
        *("*test.kt", "*tests.kt", "*test.scala", "*test.groovy", "*spec.groovy", "*test.php"),
        *("*test.swift", "*tests.swift", "*cest.php", "*tests.mm", "*spec.hs", "*test.hs"),
        *("conftest.py", "pytest.ini", ".pytest.ini", "sitecustomize.py", ".mocharc*"),
        *("*.feature", "*.robot", "*.hurl", "*.doctest", "*.snap", "*.golden", "*.approved.*"),
        *("*.expected", "spec_helper.*", "rails_helper.*", "testutil*", "test_helper*"),
        *("testhelper*", "testsupport*", "testcase.*", "testing.[cm]js", "testing.[jt]s*"),
        *("testing.go", "testing.rb", "testing.php", "t_*.[ch]*", "check_*.c*", "tst_*"),
        *("*_suite.erl", "*.t.sol", "*.tftest.hcl", "*.postman_collection.json", "*.jmx"),
        *("playwright.config.*", "playwright-*.config.*", "cypress.config.*", "cypress.json"),
        *("jest.setup.*", "vitest.setup.*"),
    ),
    directories=(
        *("test", "tests", "__tests__", "__test__", "spec", "e2e", "cypress", "playwright"),
        *("/t", "/xt", "unittests", "unit_tests", "unit-tests", "unit_test", "unit-test"),
        *("*_tests", "*-tests", "*.tests", "*.test", "*.unittests", "*.integrationtests"),
        *("androidtest", "integrationtest", "integration-test", "functionaltest", "testfixtures"),
        *("integration_test",),
        *("testing", "testutil*", "test_util*", "test-util*", "test_helper*", "test-helper*"),
        *("testhelper*", "test_support", "test-support", "testsupport", "testlib", "testcases"),
        *("testdata", "test-data", "test_data", "test_fixtures", "fixtures", "__fixtures__"),
        *("__mocks__", "snapshots", "__snapshots__", "golden", "goldens", "expected"),
        *("expectations", "cassettes", "vcr_cassettes", "step_definitions", "step-definitions"),
        *("features/support", "features/steps", "assert", "asserts", "assertions"),
    ),
    paths=("features/environment.py",),
    exceptions=("*_spec.py",),
    examples=(
        *("tests/unit/test_greeting.py", "pkg/sum_test.go", "web/cart.spec.ts", "conftest.py"),
        *("src/__tests__/cart.js", "spec/models/cart_spec.rb", "pkg/testdata/in.json"),
        *(
            "tests.py",
            "test/app.bats",
            "t/basic.t",
            "App.Tests/CartTests.cs",
            "lib/testutil.py",
        ),
        *("src/test/java/CartTest.java", "app-test.mjs", "expected/out.txt", "features/a.feature"),
        *("app/testing/factories.py", "features/environment.py", "tests/factories.py"),
    ),
)

# The first matching rule decides the kind.
RULES = (_COVERAGE, _CI, _RUNNER, _LINT, _TESTS)
