"""Commands that need a person's approval in every role. Rules are data."""

from dataclasses import dataclass

from treadle.policy.commands.rule_syntax import names
from treadle.policy.judging.braces import expand_braces


@dataclass(frozen=True, slots=True)
class CommandGate:
    """Asks if one of the commands is run; with `flags` or `operand`, only if one of those is there.

    A command is given by its first words; options between them do not matter.
    """

    name: str
    reason: str
    commands: tuple[str, ...]
    flags: frozenset[str] = frozenset()
    operand: str = ""


def _commands(*texts: str) -> tuple[str, ...]:
    """Commands with lists in braces, as bash writes them out."""
    return tuple(command for text in texts for command in expand_braces(text) or ())


GATES: tuple[CommandGate, ...] = (
    CommandGate(
        "gate-force-push",
        "It rewrites or deletes what others may have fetched.",
        ("git push", "git send-pack", "git http-push"),
        names(
            "-f --force --force-with-lease --force-if-includes --mirror --delete -d --prune"
            # git takes any beginning that only one option has.
            " --mirro --mirr --mir --mi --delet --dele --del --de --prun --pru"
        ),
        r"[+:].*",
    ),
    CommandGate(
        "gate-publish",
        "It publishes to people outside this project.",
        _commands(
            "{npm,pnpm,yarn,bun,lerna,cargo,uv,poetry,flit,hatch,pdm,wasm-pack,composer} publish",
            "{changeset,deno,jsr,vsce,ovsx} publish",
            # npm takes any beginning of a command that is the only one of its kind.
            "npm {pub,unpublish,deprecate}",
            "yarn npm publish",
            "{gem,docker,podman,helm,nuget,dotnet nuget,pod trunk} push",
            "{cargo,gem} yank",
            "twine upload",
            "mkdocs gh-deploy",
            "gh release create",
            "{,npx }semantic-release",
            "{goreleaser,rake} release",
            "release-it",
            "sbt publish{,Signed}",
            "mix hex.publish",
            "{dart,flutter} pub publish",
        ),
    ),
    CommandGate(
        "gate-publish",
        "It publishes to people outside this project.",
        ("cargo release",),
        names("--execute -x"),
    ),
    CommandGate(
        "gate-publish",
        "It publishes to people outside this project.",
        ("docker build", "docker buildx build", "docker buildx bake", "podman build"),
        names("--push"),
    ),
    CommandGate(
        "gate-publish",
        "Others build and publish from a tag.",
        ("git push",),
        names("--tags --follow-tags"),
        r"(?:[^:]*:)?(?:refs/tags/.+|v?\d+\.\d+(?:\.\d+)?)",
    ),
    CommandGate(
        "gate-publish",
        "It publishes to people outside this project.",
        ("mvn", "mvnw"),
        operand=r"deploy(?::.*)?|release:.*|nexus-staging:.*",
    ),
    CommandGate(
        "gate-publish",
        "It publishes to people outside this project.",
        ("gradle", "gradlew"),
        operand=r"(?:.*:)?(?:publish(?!\w*ToMavenLocal)\w*|uploadArchives|closeAndRelease\w*)",
    ),
    CommandGate(
        "gate-push-to-run",
        "What is pushed there runs for others.",
        ("git push",),
        operand=r"(?:.*:)?(?:refs/heads/)?(?:heroku|dokku|production|prod|live)",
    ),
    CommandGate(
        "gate-deploy",
        "It changes what runs for others.",
        _commands(
            "{vercel,npx vercel,heroku,surge,gh-pages,ansible-playbook}",
            "{netlify,fly,flyctl,firebase,wrangler,cdk,sls,serverless,cap,eb,render} deploy",
            "{kamal,sst,dep,rails,mina,deployctl,next,ng,convex,gcloud app} deploy",
            "{wrangler,amplify,expo} publish",
            "{terraform,tofu} apply",
            "{terraform,tofu,pulumi,cdk} destroy",
            "{pulumi,railway} up",
            "kubectl {apply,delete,set,scale,patch,replace,create,edit,exec}",
            "kubectl rollout {restart,undo}",
            "helm {install,upgrade}",
            "bundle exec cap",
            "gh {workflow run,pr merge}",
            "eas submit",
            "docker {stack deploy,service update}",
            "gcloud {,beta }* deploy",
            "aws {cloudformation deploy,deploy,ecs update-service,lambda update-function-code}",
            "fab deploy*",
            "cap * deploy*",
            "{serverless,sls} invoke",
        ),
    ),
    CommandGate(
        "gate-deploy",
        "It changes files on another machine.",
        ("aws s3", "aws s3api", "gsutil", "rclone", "rsync", "scp", "sftp"),
        operand=r"(?:s3|gs|rsync|sftp)://.*|(?:[\w.-]+@)?[\w.-]+:(?!//).*",
    ),
    CommandGate(
        "gate-remote-command",
        "It runs something on another machine.",
        ("ssh", "mosh"),
        operand=r"[^-].*",
    ),
    CommandGate(
        "gate-secret",
        "It shows or stores secrets outside this project.",
        _commands(
            "aws {secretsmanager,ssm get-parameter*}",
            "gcloud secrets",
            "az keyvault secret",
            "kubectl {get,describe} secret*",
            "gh secret set",
            "security find-{generic,internet}-password",
            "heroku config",
            "vercel env pull",
        ),
    ),
    CommandGate(
        "gate-production",
        "It works on production.",
        ("terraform workspace select", "terraform workspace new"),
        operand="production|prod|live",
    ),
    CommandGate(
        "gate-database",
        "It changes the shape or the contents of a database.",
        _commands(
            "prisma {migrate,db push,db execute}",
            "knex migrate:*",
            "sequelize{,-cli} db:*",
            "flyway {migrate,clean,undo,repair}",
            "liquibase {update*,rollback*,drop*}",
            "dbmate {up,migrate,down,rollback,drop}",
            "atlas {migrate,schema} apply",
            "drizzle-kit {push,migrate}",
            "typeorm {migration:*,migrations:*,query,schema:*}",
            "{supabase,hanami,bundle exec hanami} db *",
            "{alembic,flask db} {upgrade,downgrade,stamp}",
            "{manage.py,django-admin} {migrate,flush}",
            "manage.py reset_db",
            "artisan {migrate*,db:wipe}",
            "{rails,rake} db:{migrate,drop,reset,rollback,setup,purge,truncate,prepare}*",
            "{rails,rake} db:{schema:load,seed:replant}*",
            "diesel migration *",
            "sqlx {migrate,database} *",
            "sea-orm-cli migrate*",
            "{goose,migrate} *",
            "dropdb",
            "{,symfony }console doctrine:*",
            "mix ecto.*",
            "{node-pg-migrate,db-migrate,migrate-mongo}",
        ),
    ),
    CommandGate(
        "gate-recursive-removal",
        "It removes a whole tree without a question.",
        ("rm",),
    ),
)

# Commands that a framework's console takes by any beginning of each part: `d:m:m`.
GATED_PARTS: dict[str, tuple[str, ...]] = {
    "artisan": (
        *("migrate", "db:wipe"),
        *(f"migrate:{part}" for part in ("fresh", "install", "refresh", "reset", "rollback")),
    ),
    "console": ("doctrine:*", "doctrine:*:*", "doctrine:*:*:*"),
}
