"""Rules for commands that list, make, copy and remove files."""

from treadle.policy.commands.rule_syntax import Rule

_LS = (
    "-aAbBcCdfFgGhHiIklLmnNopqQrRsStTuUvwxXZ1 --all --almost-all --author --classify[text]"
    " --color[text] --directory --dereference --full-time --group-directories-first"
    " --human-readable --inode --ignore=text --hide=text --indicator-style=text --literal"
    " --no-group --numeric-uid-gid --quote-name --recursive --reverse --size --sort=text"
    " --time=text --time-style=text --width=number --block-size=text --context --escape"
    " --dereference-command-line --dereference-command-line-symlink-to-dir --file-type"
    " --format=word --hide-control-chars --hyperlink[word] --ignore-backups --kibibytes"
    " --quoting-style=word --show-control-chars --si --tabsize=number --zero"
)
_CP = (
    "-aRrpfvnudLPHTx --archive --recursive --preserve[text] --no-preserve=text --verbose --force"
    " --no-clobber --update[text] --dereference --no-dereference --parents --reflink[text]"
    " -t=into --target-directory=into --attributes-only --strip-trailing-slashes --sparse=word"
    " --no-target-directory --one-file-system --debug"
)

RULES: tuple[Rule, ...] = (
    Rule(
        "ls",
        _LS,
        "look...",
        instead="List directories of the project.",
        allows=("ls -la", "ls src/{a,b}", "ls *.json"),
        refuses=("ls /root", "ls ~", "ls --made-up"),
    ),
    Rule(
        "tree",
        "-adfFhilprstuxCDS -L=number -I=text -P=text --dirsfirst --gitignore --noreport --prune"
        " --filelimit=number -JnNqQvX -c --du --si --charset=word --matchdirs --ignore-case"
        " --inodes --sort=word --timefmt=text --metafirst",
        "look...",
        instead="Print it, without -o.",
        allows=("tree -L 2 -I node_modules",),
        refuses=("tree -o src/x", "tree /"),
    ),
    Rule(
        "find",
        "-H -L -P -name=text -iname=text -path=text -ipath=text -wholename=text -regex=text"
        " -iregex=text -regextype=text -type=text -xtype=text -maxdepth=number -mindepth=number"
        " -depth -d -mount -xdev -print -print0 -printf=text -ls -prune -quit -not -o -or -a -and"
        " -true -false -empty -size=text -mtime=text -mmin=text -atime=text -amin=text -ctime=text"
        " -cmin=text -newer=look -newermt=text -anewer=look -cnewer=look -perm=text -user=text"
        " -group=text -executable -readable -writable -links=text -inum=text -daystart"
        " -follow -nouser -nogroup -lname=text -samefile=look -ilname=text -iwholename=text"
        " -uid=text -gid=text -used=text -fstype=word -noleaf -warn -nowarn -ignore_readdir_race",
        "look...",
        style="single",
        instead=(
            "Only look: run a second command on what it prints, or use the Grep and Glob tools."
        ),
        allows=("find . -name '*.ts' -not -path './node_modules/*'", "find src -type f | wc -l"),
        refuses=("find . -delete", r"find . -exec rm {} \;", "find / -name x", "find . -fprint x"),
    ),
    Rule(
        "mkdir",
        "-pv -m=text --mode=text --parents --verbose",
        "write...",
        needs=1,
        mode="run",
        instead="Make directories inside the project.",
        allows=("mkdir -p src/components/ui",),
        refuses=("mkdir ../x", "mkdir -p .claude/commands", "mkdir $X"),
    ),
    Rule(
        "cp",
        _CP,
        "read... write",
        needs=2,
        mode="run",
        check="copy",
        instead="Copy inside the project: cp source target.",
        allows=(
            "cp src/a.ts src/b.ts",
            "cp -vt build/assets public/logo.svg",
            "cp -r template/. src/",
            "cp .env.example .env",
        ),
        refuses=(
            "cp -t /etc x",
            "cp -t .claude x.json",
            "cp -t build .env",
            "cp -S /x -b a b",
            "cp -r /etc .",
            "cp x .git/hooks/pre-commit",
            "cp .env x",
        ),
    ),
    Rule(
        "touch",
        "-acfhm -d=text -r=look -t=text --no-create --date=text --no-dereference --reference=look"
        " --time=word",
        "write...",
        needs=1,
        mode="run",
        instead="Touch files inside the project, by name.",
        allows=("touch src/new.ts",),
        refuses=("touch ../x", "touch .treadle/x", "touch src/*.ts"),
    ),
    Rule(
        "ln",
        "-sfnvrT --symbolic --force --no-dereference --relative --verbose -t=into"
        " --target-directory=into --no-target-directory",
        "text... write",
        needs=2,
        mode="run",
        check="link",
        instead="Make symbolic links from and to places inside the project.",
        allows=("ln -s src/a.ts src/b.ts", "ln -st bin ../src/a.ts"),
        refuses=(
            "ln -s .treadle s",
            "ln -sr ../x sub/link",
            "ln -st sub ../../x",
            "ln -st . src/.git",
            "ln -s /etc/passwd x",
            "ln a b",
            "ln -s .env x",
        ),
    ),
    Rule(
        "chmod",
        "",
        "text write...",
        needs=2,
        mode="run",
        check="chmod",
        instead="Make named files executable: chmod +x file.",
        allows=("chmod u+x bin/run",),
        refuses=("chmod 777 f", "chmod -R +x .", "chmod +w f", "chmod +x .treadle/a"),
    ),
    Rule(
        "rm",
        "-rRfvdiI --recursive --force --verbose --dir --one-file-system",
        "delete...",
        needs=1,
        mode="destructive",
        instead=(
            "Leave the file, or empty it with the Write tool; say in your report what to remove."
        ),
        refuses=("rm file.txt", "rm -rf src", "rm -r src/../.."),
    ),
    Rule(
        "mv",
        "-fnvuT --force --no-clobber --verbose --update[text] --no-target-directory -t=into"
        " --target-directory=into --strip-trailing-slashes --no-copy --debug",
        "delete... write",
        needs=2,
        mode="destructive",
        check="move",
        instead="Copy it with cp, or use `git mv`; say in your report what to remove.",
        refuses=("mv a b", "mv ../x .", "mv -t /tmp a"),
    ),
    Rule(
        "rmdir",
        "-pv",
        "delete...",
        needs=1,
        mode="destructive",
        instead="Leave the directory, and say in your report what to remove.",
        refuses=("rmdir x",),
    ),
    Rule(
        "stat",
        "-c=text -L -f -t --format=text --printf=text --dereference --file-system --terse"
        " --cached=word",
        "look...",
        needs=1,
        allows=("stat package.json",),
        refuses=("stat /root",),
    ),
    Rule(
        "file",
        "-bihLkzhNrn0 -e=word -F=text --mime-type --brief --mime --mime-encoding --extension"
        " --keep-going --dereference --no-dereference --no-pad --raw --print0 --exclude=word"
        " --separator=text",
        "read...",
        needs=1,
        allows=("file src/a.png",),
        refuses=("file -f x", "file -m x y"),
    ),
    Rule(
        "du",
        "-ahscx0DHLPSbklm -d=number -B=text -t=text -X=read --max-depth=number --summarize --total"
        " --human-readable --exclude=text --exclude-from=read --all --apparent-size --bytes"
        " --block-size=text --count-links --dereference --dereference-args --no-dereference"
        " --inodes --null --one-file-system --separate-dirs --si --threshold=text --time[word]"
        " --time-style=text",
        "look...",
        allows=("du -sh node_modules",),
        refuses=("du -sh /root", "du --files0-from=x"),
    ),
    Rule(
        "df",
        "-hHTiPkal -B=text -t=word -x=word --all --block-size=text --exclude-type=word --local"
        " --human-readable --inodes --no-sync --output[text] --portability --print-type --si"
        " --total --type=word",
        "look...",
        allows=("df -h",),
        refuses=("df --made-up", "df /root"),
    ),
    Rule(
        "basename",
        "-az -s=text --multiple --suffix=text --zero",
        "text...",
        needs=1,
        allows=("basename src/a.ts .ts",),
        refuses=("basename --x",),
    ),
    Rule(
        "dirname",
        "-z --zero",
        "text...",
        needs=1,
        allows=("dirname src/a.ts",),
        refuses=("dirname --x",),
    ),
    Rule(
        "realpath",
        "-emsqLPz --relative-to=look --relative-base=look --canonicalize-existing --logical"
        " --canonicalize-missing --no-symlinks --physical --quiet --strip --zero",
        "look...",
        needs=1,
        allows=("realpath src",),
        refuses=("realpath /srv/x",),
    ),
    Rule(
        "readlink",
        "-femnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline"
        " --quiet --silent --verbose --zero",
        "look...",
        needs=1,
        allows=("readlink -f src",),
        refuses=("readlink /srv/x",),
    ),
    Rule(
        "mktemp",
        "-dtqu -p=write --directory --suffix=suffix --quiet --dry-run --tmpdir[write]",
        "write",
        mode="run",
        allows=("mktemp -d",),
        refuses=("mktemp -p /etc",),
    ),
)
