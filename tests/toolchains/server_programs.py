"""Databases and a browser, started by the project's own test command."""

from tests.toolchains.ordinary_program import OrdinaryProgram as Program

SERVERS = (
    Program(
        "PostgreSQL with its defaults",
        """
        PATH=$PATH:$(ls -d /usr/lib/postgresql/*/bin | tail -1)
        initdb -A trust -N -D data >log; pg_ctl -s -w -D data -l log start
        createdb shop; psql -qc 'create table t (n int)' shop
        psql -qc 'insert into t select generate_series(1, 1000)' shop
        psql -Atc 'select sum(n) from t' shop
        psql -h localhost -Atc 'select current_user' shop; pg_ctl -s -D data -m immediate stop
        """,
        "500500\nagent\n",
        needs=("initdb",),
    ),
    Program(
        "Redis",
        """
        redis-server --port 6379 --unixsocket "$PWD/socket" --daemonize yes >log
        until_it_works redis-cli ping; redis-cli set key value; redis-cli -s socket get key
        redis-cli save; redis-cli shutdown nosave; test -s dump.rdb
        """,
        "OK\nvalue\nOK\n",
        needs=("redis-server", "redis-cli"),
    ),
    Program(
        "SQLite",
        """
        python3 - <<'E'
        import sqlite3
        first, second = sqlite3.connect("file.db"), sqlite3.connect("file.db")
        first.execute("pragma journal_mode = wal")
        first.execute("create table t (n)")
        first.execute("insert into t values (1)")
        first.commit()
        print(second.execute("select n from t").fetchall())
        E
        """,
        "[(1,)]\n",
    ),
    Program(
        "Chromium without its own sandbox",
        """
        page='data:text/html,<p id=p></p><script>p.textContent=6*7</script>'
        chromium --headless --no-sandbox --dump-dom "$page" 2>log | grep -o '<p.*p>'
        """,
        '<p id="p">42</p>\n',
        needs=("chromium",),
    ),
)
