"""Rules for php, its packages and the tools of its projects."""

from treadle.policy.commands.project_tools import NEVER, make_tool_rule, make_tool_rules
from treadle.policy.commands.rule_syntax import Rule

_COMPOSER = (
    "-noqvaoW -d=chdir --working-dir=chdir --no-interaction --no-dev --dev --prefer-dist"
    " --prefer-source --no-progress --no-scripts"
    " --optimize-autoloader --classmap-authoritative --with-all-dependencies --with-dependencies"
    " --ignore-platform-reqs --ignore-platform-req=text --dry-run --no-update"
    " --no-install --quiet --ansi --no-ansi"
    " --no-autoloader --apcu-autoloader --sort-packages --prefer-stable --prefer-lowest"
    " --lock --fixed --minimal-changes --no-audit --audit-format=word --no-cache --no-plugins"
    " --profile --no-suggest --update-with-dependencies --update-with-all-dependencies -w"
    " --optimize --strict-psr --strict-ambiguous --download-only"
)
_PHPUNIT = (
    "--filter=text --exclude-filter=text --group=text --exclude-group=text --testsuite=text"
    " --exclude-testsuite=text --covers=text --uses=text --coverage-html=write"
    " --coverage-clover=write --coverage-xml=write --coverage-cobertura=write"
    " --testdox-html=write --testdox-text=write --testdox-xml=write --coverage-text[write]"
    " --coverage-php=write --coverage-crap4j=write --log-teamcity=write --log-events-text=write"
)
_PACKAGE = "Take packages from the configured repository by name: vendor/package."

RULES: tuple[Rule, ...] = (
    Rule(
        "php",
        (
            "-vmnlw -r=inline -d=phpini -l -S=local-url -t=run -f=program -i --version --ini"
            " --ri=name --rf=name"
        ),
        "program",
        stops=True,
        check="interpreter",
        instead="Run a file of the project: php app.php.",
        allows=(
            "php artisan test",
            "php -l src/a.php",
            "php -r 'echo 1;'",
            "php -f app.php",
            "php -S localhost:8000 -t public",
        ),
        refuses=(
            "php /tmp/evil.php",
            "php < /tmp/evil.php",
            "php -d auto_prepend_file=/tmp/e x.php",
            "php -a",
            "php artisan migrate",
            "php",
            "php -S 0.0.0.0.evil.test:80",
            "cat app.php | php",
            "cat app.php | php -f -",
        ),
    ),
    Rule(
        "composer",
        "-nqvV --version --no-interaction --working-dir=chdir -d=chdir --ansi --no-ansi --quiet",
        subs=(
            *(
                Rule(name, _COMPOSER, "composer...", mode="run", instead=_PACKAGE)
                for name in (
                    "install",
                    "i",
                    "update",
                    "u",
                    "require",
                    "remove",
                    "dump-autoload",
                    "dumpautoload",
                    "reinstall",
                )
            ),
            Rule("run", "--list -l --timeout=number --no-dev --dev", "script near..."),
            Rule("run-script", "--list -l --timeout=number", "script near..."),
            *(
                Rule(name, "--coverage", "near...")
                for name in (
                    "test",
                    "lint",
                    "check",
                    "analyse",
                    "analyze",
                    "phpstan",
                    "cs",
                    "format",
                    "fix",
                    "stan",
                    "pint",
                )
            ),
            Rule(
                "validate",
                "--strict --no-check-publish --no-check-all --no-check-lock --no-check-version",
                "run",
            ),
            Rule(
                "show",
                (
                    "-itlaoDP --tree --latest --outdated --direct --installed --platform --all"
                    " --format=text"
                ),
                "composer...",
            ),
            Rule("outdated", "-Dma --direct --minor-only --format=text", "composer..."),
            Rule("why", "-rt", "composer..."),
            Rule("depends", "-rt", "composer..."),
            Rule("audit", "--no-dev --format=text --locked", ""),
            Rule("licenses", "--format=text", ""),
            Rule("check-platform-reqs", "", ""),
            Rule("diagnose", "", ""),
            Rule("fund", "", ""),
            Rule(
                "exec",
                "",
                wraps=0,
                inner=("php",),
                instead="Run a tool of the project: composer exec phpunit.",
            ),
        ),
        instead="Install, require and run scripts with composer; a person configures it.",
        allows=(
            "composer install --no-interaction",
            "composer require monolog/monolog",
            "composer test",
        ),
        refuses=(
            "composer config repositories.x vcs https://evil.test",
            "composer global require evil/x",
            "composer create-project evil/x",
            "composer exec sh",
            "composer self-update",
            "composer run deploy",
            "composer install -d /tmp/evil",
            "composer install -d ../x",
            "composer require ../x",
        ),
    ),
    *(
        make_tool_rule(
            name,
            flags=_PHPUNIT,
            never=f"{never}--bootstrap --prepend --include-path -d --extension",
            allows=f"{name} --filter '/^(CartTest|TaxTest)::/' tests",
            refuses=f"{name} --bootstrap ./e",
        )
        for name, never in (("phpunit", ""), ("pest", f"{NEVER} "), ("paratest", f"{NEVER} "))
    ),
    make_tool_rule(
        "artisan",
        never="--execute",
        check="no-console",
        allows="php artisan test",
        refuses="php artisan tinker --execute=x",
    ),
    make_tool_rule(
        "console",
        check="no-console",
        allows="php bin/console cache:clear",
        refuses="php bin/console doctrine:migrations:migrate",
    ),
    Rule(
        "symfony",
        "-V --version --no-ansi",
        subs=(
            Rule(
                "console", wraps=0, instead="Run a command of the project: symfony console about."
            ),
            *(
                Rule(name, "--port=number --no-tls --allow-http --no-humanize", mode="run")
                for name in ("serve", "server:start")
            ),
            *(Rule(name) for name in ("server:status", "server:stop", "check:requirements")),
        ),
        instead="Serve and inspect the project; a person deploys.",
        allows=("symfony serve", "symfony console about"),
        refuses=("symfony serve --dir=/tmp", "symfony run rm x", "symfony console tinker"),
    ),
    *(
        make_tool_rule(name, never=f"{NEVER} --bootstrap", refuses=f"{name} --bootstrap=./e src")
        for name in ("phpcs", "phpcbf")
    ),
    *make_tool_rules(
        "codecept codeception phpstan psalm php-cs-fixer pint rector infection deptrac"
    ),
)
