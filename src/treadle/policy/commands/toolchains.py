"""Rules for toolchains and utilities of any project: compilers, archives, databases, checkers."""

from treadle.policy.commands.project_tools import ASKS, COMPILES, FORMATS, RUNS_CODE
from treadle.policy.commands.rule_syntax import ToolRow

OTHER = (
    ToolRow(
        "mvn mvnw mvnd gradle gradlew ant sbt mill bazel bazelisk buck2 pants lein clojure clj"
        " javac java javap jar jdeps jshell kotlin kotlinc scala scalac scala-cli groovy groovyc"
        " ktlint detekt google-java-format scalafmt scalafix jbang jlink jpackage javadoc jcmd"
        " jstack jps jmap checkstyle spotbugs native-image quarkus mn coursier cs",
        COMPILES,
        instead="Build and test the project: mvn -B test.",
        allows=("mvn -B test -Dtest=OrderTest 2>&1 | tail -15", "./gradlew build -x test"),
        refuses=("mvn deploy", "./gradlew publish", "javac -d /etc x.java"),
    ),
    ToolRow(
        "make gmake cmake ctest cpack ninja meson autoreconf autoconf automake configure libtool"
        " gcc g++ cc c++ clang clang++ ld ar nm objdump objcopy readelf strip size ranlib strings"
        " c++filt addr2line gcov lcov genhtml gcovr valgrind perf strace ltrace hyperfine ldd"
        " clang-format clang-tidy cppcheck include-what-you-use iwyu_tool scan-build ccache bear"
        " conan vcpkg xmake premake5 scons pkg-config flex bison swig doxygen",
        COMPILES,
        never="--eval -wrapper",
        instead="Build and test the project: make test.",
        allows=("make -j4 build", "cmake -B build && cmake --build build", "gcc -Wall -o app x.c"),
        refuses=("make -C /etc x", "gcc -o /etc/x x.c", "make deploy"),
    ),
    ToolRow(
        "dotnet msbuild nuget csc fsc paket swift swiftc xcodebuild swiftlint swiftformat flutter"
        " dart mix elixir elixirc iex-run rebar3 erlc escript gleam zig stack cabal ghc hlint"
        " ormolu ocaml ocamlc ocamlfind dune opam-exec nim nimble crystal shards julia Rscript"
        " raku v odin luacheck busted stylua nix-shell nix-build nix-instantiate nixfmt dub"
        " dmd ldc2 racket raco sbcl guile spago purs",
        RUNS_CODE,
        instead="Build and test the project with its own tool: dotnet test.",
        allows=("dotnet test --no-build", "flutter test", "mix test", "zig build test"),
        refuses=("dotnet nuget push x.nupkg", "mix hex.publish", "dart run ../x"),
    ),
    ToolRow(
        "just invoke gulp grunt bats shellcheck shfmt hadolint yamllint actionlint markdownlint"
        " vale typos tokei cloc scc pandoc xmllint xsltproc yq dasel tidy dot plantuml mmdc"
        " asciidoctor protolint prototool semgrep trivy gitleaks act tflint terraform-docs convert"
        " magick identify ffprobe ffmpeg optipng pngquant rsvg-convert gettext msgfmt xgettext"
        " sqlfluff squawk ansible-lint opa conftest helm-docs jsonnet cue hugo zola",
        FORMATS,
        never=ASKS,
        allows=("just lint", "shellcheck scripts/x.sh", "yq '.a.b' x.yml"),
        refuses=("just deploy", "yq . /etc/x", "shellcheck ../x.sh"),
    ),
    ToolRow(
        "tar unzip zip gzip gunzip zcat zgrep xz unxz bzip2 bunzip2 zstd 7z cpio patch",
        "It packs, unpacks and changes files inside the project and /tmp.",
        mode="run",
        never="--to-command --checkpoint-action --use-compress-program -I --rsh-command --remove"
        " -TT --unzip-command",
        instead="Pack and unpack inside the project or /tmp.",
        allows=("tar -czf /tmp/x.tgz src", "unzip -l x.zip", "patch -p1 < fix.patch"),
        refuses=("unzip -o x.zip -d .treadle", "tar xf a.tar --to-command=sh", "tar -C /etc xf a"),
    ),
    ToolRow(
        "sqlite3 duckdb",
        "It looks into a database that is a file of the project.",
        mode="run",
        instead="Use a file of the project: sqlite3 dev.db .tables.",
        allows=("sqlite3 dev.db .tables",),
        refuses=("sqlite3 /etc/x",),
    ),
    ToolRow(
        "psql mysql redis-cli mongosh pg_isready createdb grpcurl",
        "It talks to a server on this machine, which may hold more than the project's data.",
        mode="run",
        never="-h --host -H --hostaddr -f --eval",
        never_text=r"(?i)\b(?:drop|truncate|delete|update|alter|flush\w*|shutdown|config)\b|\.\w+:\d",
        instead="Look at a server on this machine; migrations change a database.",
        allows=("psql -h localhost -c 'select 1'", "redis-cli -p 6379 info"),
        refuses=("psql -h db.example.com", "psql -c 'drop table x'", "redis-cli flushall"),
    ),
    ToolRow(
        "openssl xxd od hexdump",
        "It prints bytes or numbers; keys stay closed by their names.",
        never="s_client s_server -engine -r",
        instead="Print, or make numbers: openssl rand -hex 32.",
        allows=("openssl rand -hex 32", "xxd x.bin | head"),
        refuses=("openssl s_client example.com:443", "xxd server.key"),
    ),
)
