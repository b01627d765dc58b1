"""What ordinary programs do with files."""

from tests.toolchains.ordinary_program import OrdinaryProgram as Program

MOVE = """
import os
for name in ("a/deep", "b"):
    os.makedirs(name)
open("a/file", "w").close()
os.link("a/file", "b/linked")
os.rename("a/file", "b/renamed")
os.replace("b/renamed", "a/deep/replaced")
os.rename("a/deep", "b/deep")
print(sorted(os.listdir("b")), os.stat("b/linked").st_nlink)
"""
MOVED = "['deep', 'linked'] 2\n"


def moving_files_in(folder: str) -> Program:
    return Program(
        f"os.rename and os.link across directories in {folder}",
        f'program=$PWD/move.py; mkdir "{folder}/moved"; cd "{folder}/moved"; python3 "$program"',
        MOVED,
        files={"move.py": MOVE},
    )


FILES = (
    moving_files_in("."),
    moving_files_in("$HOME"),
    moving_files_in("/tmp"),
    moving_files_in("/var/tmp"),
    moving_files_in("/dev/shm"),
    Program(
        "mv and ln",
        "mkdir a b; echo text >a/f; mv a/f b/f; ln b/f a/g; ln -s ../b/f a/h; mv b /tmp/b; cat a/g",
        "text\n",
    ),
    Program(
        "fs.rename and fs.link of node",
        """
        mkdir a b; echo text >a/f
        node -e '
          const fs = require("fs");
          fs.renameSync("a/f", "b/f");
          fs.linkSync("b/f", "a/g");
          fs.cpSync("b", "c", { recursive: true });
          console.log(fs.readdirSync("b"), fs.statSync("b/f").nlink, fs.readdirSync("c"));'
        """,
        "[ 'f' ] 2 [ 'f' ]\n",
        needs=("node",),
    ),
    Program(
        "git mv, stash, gc, worktree and merge",
        """
        git() { command git -c user.name=a -c user.email=a@example.com "$@"; }
        mkdir a b; echo one >a/f; git add a; git commit -qm one
        git mv a/f b/f; git commit -qm two
        echo two >>b/f; git stash -q; git stash pop -q; git commit -qam three
        git worktree add -q -b other "$HOME/other" HEAD~1
        git -C "$HOME/other" mv b/f b/g; git -C "$HOME/other" commit -qm four
        git merge -q --no-edit other; git gc -q; git log --oneline | wc -l; cat b/g
        """,
        "5\none\ntwo\n",
    ),
    Program(
        "symlinks, modes, times, sparse and large files",
        """
        touch f; chmod 750 f; chmod g+s .; touch -d 2001-02-03T04:05:06Z f; ln -s f l
        stat -c '%a %Y' f; readlink l; umask
        truncate -s 3G sparse; stat -c '%s %b' sparse
        fallocate -l 8M full; dd if=/dev/zero of=big bs=1M count=64 status=none; stat -c %s full big
        """,
        "750 981173106\nf\n0022\n3221225472 0\n8388608\n67108864\n",
    ),
    Program(
        "locks and named pipes",
        "flock lock echo locked; mkfifo pipe; (echo through >pipe &); cat pipe",
        "locked\nthrough\n",
        needs=("flock",),
    ),
    Program(
        "archives",
        "mkdir -p d/e; echo text >d/e/f; tar czf d.tgz d; rm -r d; tar xzf d.tgz; cat d/e/f",
        "text\n",
    ),
    Program(
        "temporary files",
        'test -d "$(mktemp -d)"; python3 -c "import tempfile; print(tempfile.gettempdir())"',
        "/tmp\n",
    ),
    Program(
        "inotify",
        """
        python3 - <<'E'
        import ctypes, os
        libc = ctypes.CDLL(None)
        queue = libc.inotify_init()
        libc.inotify_add_watch(queue, b".", 0x100)
        open("new", "w").close()
        print(os.read(queue, 100)[16:19])
        E
        """,
        "b'new'\n",
    ),
    Program(
        "fs.watch of node",
        """
        node -e '
          const fs = require("fs");
          const watcher = fs.watch(".", (event, name) => { console.log(name); watcher.close(); });
          fs.writeFileSync("new", "");'
        """,
        "new\n",
        needs=("node",),
    ),
    Program(
        "copies that keep everything, and file",
        "printf '#!/bin/sh\\n' >s; chmod +x s; cp -a s t; cmp s t; file -b t",
        "POSIX shell script, ASCII text executable\n",
        needs=("file",),
    ),
)
