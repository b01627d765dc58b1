"""What ordinary programs do with processes, sockets, terminals and the system."""

from tests.toolchains.ordinary_program import OrdinaryProgram as Program

PROCESSES = (
    Program(
        "signals to children, and timeout",
        """
        cat <(sleep 60) & kill $!; wait $! || echo $?
        timeout 0.1 sleep 60 || echo $?
        trap 'echo caught' USR1; kill -USR1 $$
        """,
        "143\n124\ncaught\n",
    ),
    Program(
        "process groups and sessions",
        """
        python3 - <<'E'
        import os, signal, subprocess
        child = subprocess.Popen(["sh", "-c", "sleep 60 & wait"], start_new_session=True)
        os.killpg(child.pid, signal.SIGTERM)
        print(child.wait())
        E
        """,
        "-15\n",
    ),
    Program(
        "ps, pgrep and /proc",
        """
        ps -o comm= -p $$; ps aux >list; test "$(wc -l <list)" -gt 2; pgrep -x bash >list
        test "$(readlink /proc/self/cwd)" = "$PWD"; grep -q processor /proc/cpuinfo
        grep -q MemTotal /proc/meminfo; test "$(nproc)" -ge 1; lscpu | grep -c ^Architecture
        """,
        "bash\n1\n",
        needs=("ps", "lscpu"),
    ),
    Program(
        "users and groups",
        """
        id; whoami; getent passwd agent | cut -d: -f1,3; getent passwd root | cut -d: -f1,3
        python3 - <<'E'
        import getpass, grp, os, pwd
        print(pwd.getpwuid(os.getuid()).pw_dir == os.environ["HOME"], getpass.getuser())
        print(grp.getgrgid(os.getgid()).gr_name, bool(pwd.getpwuid(os.stat("/usr").st_uid)))
        E
        """,
        "uid=1000(agent) gid=1000(agent) groups=1000(agent)\nagent\nagent:1000\nroot:0\n"
        "True agent\nagent True\n",
    ),
    Program(
        "host names",
        """
        hostname; getent hosts localhost >list
        python3 - <<'E'
        import socket
        print(socket.gethostbyname("localhost"), socket.gethostbyname(socket.gethostname()))
        print(socket.create_server(("localhost", 0)).getsockname()[0])
        E
        """,
        "sandbox\n127.0.0.1 127.0.0.1\n127.0.0.1\n",
        needs=("hostname",),
    ),
    Program(
        "locales and time zones",
        """
        LC_ALL=C.UTF-8 printf '%s\\n' ä | wc -m; TZ=Europe/Berlin date -d 2024-07-01T00:00Z +%H%Z
        python3 -c 'import zoneinfo; print(zoneinfo.ZoneInfo("Asia/Tokyo"))'
        """,
        "2\n02CEST\nAsia/Tokyo\n",
    ),
    Program(
        "threads, clocks, memfd, eventfd and limits",
        """
        ulimit -n 256; ulimit -c
        python3 - <<'E'
        import os, threading, time
        start = time.perf_counter()
        threads = [threading.Thread(target=time.sleep, args=(0.01,)) for _ in range(50)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        print(time.perf_counter() > start)
        print(os.write(os.memfd_create("x"), b"123"), os.eventfd(1) > 0)
        E
        """,
        "0\nTrue\n3 True\n",
    ),
    Program(
        "shared memory and semaphores of multiprocessing",
        """
        python3 - <<'E'
        from multiprocessing import Lock, Pool, Queue, shared_memory
        memory = shared_memory.SharedMemory(create=True, size=1 << 20)
        memory.close(); memory.unlink()
        with Lock(), Pool(2) as pool:
            print(pool.map(abs, [-1, -2]))
        E
        """,
        "[1, 2]\n",
    ),
    Program(
        "pseudo-terminals",
        """
        python3 -c 'import pty; pty.spawn(["tty"])' </dev/null | tr -d '\\r'
        script -qec 'test -t 1 && echo terminal' /dev/null </dev/null | tr -d '\\r'
        """,
        "/dev/pts/0\nterminal\n",
        needs=("script",),
    ),
    Program(
        "unix sockets, with and without a path",
        """
        python3 - <<'E'
        import socket
        for address in ("./socket", "\\0abstract"):
            server = socket.socket(socket.AF_UNIX)
            server.bind(address)
            server.listen()
            client = socket.socket(socket.AF_UNIX)
            client.connect(address)
            client.send(b"heard")
            print(server.accept()[0].recv(9))
        E
        """,
        "b'heard'\nb'heard'\n",
    ),
    Program(
        "a server of python on loopback",
        """
        python3 -m http.server 8000 >log 2>&1 & echo hello >page
        get='import sys, urllib.request as r; print(r.urlopen(sys.argv[1]).read().decode(), end="")'
        until_it_works python3 -c "$get" http://localhost:8000/page
        python3 -c "$get" http://127.0.0.1:8000/page; kill $!
        """,
        "hello\n",
    ),
    Program(
        "a server of node on loopback, on both versions of IP and on a unix socket",
        """
        cat >server.mjs <<'E'
        import http from "node:http";
        const listen = (...at) => new Promise((done) => {
          const server = http.createServer((_, response) => response.end("hello"));
          server.listen(...at, () => done(server));
        });
        const listening = [listen(0, "127.0.0.1"), listen(0, "::1"), listen("socket")];
        const servers = await Promise.all(listening);
        const [four, six] = servers.map((server) => server.address().port);
        console.log(await (await fetch(`http://127.0.0.1:${four}`)).text());
        console.log(await (await fetch(`http://[::1]:${six}`)).text());
        http.get({ socketPath: "socket" }, (response) => {
          response.on("data", (text) => console.log(String(text)));
          response.on("end", () => servers.forEach((server) => server.close()));
        });
        E
        node server.mjs
        """,
        "hello\n" * 3,
        needs=("node",),
    ),
    Program(
        "node with io_uring asked for",
        """
        UV_USE_IO_URING=1 node -e '
          require("fs").readFile("f", "utf8", (_, text) => console.log(text));'
        """,
        "text\n",
        needs=("node",),
        files={"f": "text"},
    ),
    Program(
        "no rights of root",
        "! sudo -n true 2>/dev/null; ! touch /usr/x 2>/dev/null; test ! -w /etc; echo none",
        "none\n",
    ),
)
