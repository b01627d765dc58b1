#!/bin/sh
# Makes .venv with the `treadle` command and the development tools. `setup.sh tests` also installs what the tests
# use: PostgreSQL, Chromium, package managers, compilers, an older Claude Code.
# Safe to run again: it does nothing when nothing has changed.
set -eu
cd "$(dirname "$0")/.."

say() { printf '%s\n' "setup: $*" >&2; }

find_python() {
  for name in python3 python3.14 python3.13 python3.12 python3.11; do
    if command -v "$name" >/dev/null 2>&1 &&
      "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      command -v "$name"
      return
    fi
  done
  say "no Python 3.11 or newer found. Install one (Debian: apt-get install python3 python3-venv)."
  exit 1
}

has_postgres() {
  command -v initdb >/dev/null 2>&1 && return
  for found in /usr/lib/postgresql/*/bin/initdb; do [ -x "$found" ] && return; done
  return 1
}

install() {
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -qq -y "$@" >/dev/null
}

# A server of their own is started by the tests that need one; the package would start another.
postgres() {
  has_postgres && return
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    say "installing postgresql"
    install postgresql-common
    sed -i 's/^#*create_main_cluster.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf
    install postgresql
  else
    [ -x .venv/bin/treadle ] || say "tests on PostgreSQL are skipped without it (Debian/Ubuntu: sudo apt-get install postgresql)"
  fi
}

# What the tests use beyond Python and git: ps to look for processes left behind, setpriv to give up
# the rights of root, mount for a disk that is full, bwrap for the sandbox.
system_packages() {
  missing=""
  command -v git >/dev/null 2>&1 || missing="$missing git"
  command -v ps >/dev/null 2>&1 || missing="$missing procps"
  if [ "$(uname)" = Linux ]; then
    command -v setpriv >/dev/null 2>&1 || missing="$missing util-linux"
    command -v mount >/dev/null 2>&1 || missing="$missing mount"
    command -v bwrap >/dev/null 2>&1 || missing="$missing bubblewrap"
  fi
  [ -z "$missing" ] && return
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    say "installing$missing"
    install $missing
  else
    say "please install:$missing   (Debian/Ubuntu: sudo apt-get install$missing)"
    exit 1
  fi
}

# The programs that tests/{toolchains,projects,drills} run in the sandbox, and gh for tests/github. No server is
# started: the tests start their own. Debian's usual cargo may be too old for indexes without git.
toolchains() {
  missing=""
  rust=$(apt-cache show cargo-web >/dev/null 2>&1 && echo cargo-web || echo cargo)
  for program in gcc:gcc g++:g++ make:make cmake:cmake ninja:ninja-build cargo:"$rust" go:golang-go \
    javac:default-jdk-headless redis-server:redis-server file:file lscpu:util-linux script:bsdutils \
    phpunit:phpunit rspec:ruby-rspec bats:bats pytest:python3-pytest gh:gh; do
    # The tests have the system's programs alone on their PATH.
    (PATH=/usr/local/bin:/usr/bin:/bin && command -v "${program%:*}" >/dev/null 2>&1) || missing="$missing ${program#*:}"
  done
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    say "tests of some programs are skipped without them (Debian: sudo apt-get install$missing)"
    return 0
  fi
  say "installing$missing"
  policy=/usr/sbin/policy-rc.d
  if [ -e "$policy" ]; then
    install $missing
  else
    trap 'rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
    install $missing
    rm -f "$policy"
    trap - EXIT
  fi
}

# Packages that tests/$1 pins, from whatever registry npm is set up for, into .venv/$1.
node_packages() {
  place=.venv/$1
  if cmp -s "tests/$1/package-lock.json" "$place/package-lock.json" && [ -e "$place/ready" ]; then return; fi
  say "installing $2 for the tests"
  rm -rf "$place"
  mkdir -p "$place"
  cp "tests/$1/package.json" "tests/$1/package-lock.json" "$place"
  if PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --prefix "$place" --silent --ignore-scripts --no-audit --no-fund; then
    : >"$place/ready"
  else
    say "npm could not install $2: tests of it are skipped"
  fi
}

# What hands a terminal to a program and looks at its screen.
terminal() {
  command -v tmux >/dev/null 2>&1 && return
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    say "installing tmux"
    install tmux
  else
    [ -x .venv/bin/treadle ] || say "tests in a terminal are skipped without it (Debian: sudo apt-get install tmux)"
  fi
}

# A Chromium of the system, Playwright MCP and a test runner. Out of the PATH of all other tests, since a
# session with a browser starts slower.
browser() {
  lacking=""
  command -v chromium >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 || lacking="$lacking chromium"
  command -v npm >/dev/null 2>&1 || lacking="$lacking npm"
  if [ -n "$lacking" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    say "installing$lacking"
    install $lacking
  elif [ -n "$lacking" ]; then
    [ -x .venv/bin/treadle ] || say "tests in a browser are skipped without it (Debian: sudo apt-get install$lacking)"
    return 0
  fi
  node_packages playwright "Playwright MCP"
  node_packages reports "Vitest and Mocha"
}

# pnpm, yarn (classic and berry) and poetry, in .venv/package-managers/bin.
package_managers() {
  command -v npm >/dev/null 2>&1 || return 0
  node_packages package-managers "pnpm and yarn"
  place=.venv/package-managers
  [ -d $place/node_modules ] && [ ! -d $place/bin ] || return 0
  mkdir $place/bin
  ln -s ../node_modules/pnpm/bin/pnpm.cjs $place/bin/pnpm
  ln -s ../node_modules/yarn/bin/yarn.js $place/bin/yarn
  ln -s ../node_modules/@yarnpkg/cli-dist/bin/yarn.js $place/bin/yarn-berry
  ln -s ../../poetry/bin/poetry $place/bin/poetry
}

# pip's setting $1: of its variables before its files.
pip_setting() {
  for source in :env: install global; do
    printf '%s\n' "$pip_settings" | sed -n "s/^$source\.$1='\(.*\)'\$/\1/p"
  done | head -n 1
}

# The system's certificates, a company's own among them, in a file for a pip before 24.2, which does not look there.
system_certificates() {
  if [ "$(uname)" = Darwin ]; then
    security find-certificate -a -p /System/Library/Keychains/SystemRootCertificates.keychain \
      /Library/Keychains/System.keychain >.venv/certificates.pem
  fi
  for file in .venv/certificates.pem /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt \
    /etc/ssl/ca-bundle.pem; do
    if [ -s "$file" ]; then echo "$file" && return; fi
  done
}

# A company's package index, proxy and certificates: pip may be set up for them, and uv reads nothing of pip's.
company_network() {
  pip_settings=$(.venv/bin/python -m pip config list 2>/dev/null || true)
  index=$(pip_setting index-url)
  proxy=$(pip_setting proxy)
  trusted=$(pip_setting trusted-host | sed 's/\\n/ /g')
  [ -z "$index" ] || export UV_DEFAULT_INDEX="${UV_DEFAULT_INDEX:-${UV_INDEX_URL:-$index}}"
  [ -z "$proxy" ] || export HTTPS_PROXY="${HTTPS_PROXY:-${https_proxy:-$proxy}}"
  [ -z "$trusted" ] || export UV_INSECURE_HOST="${UV_INSECURE_HOST:-$trusted}"
  export UV_SYSTEM_CERTS="${UV_SYSTEM_CERTS:-true}"
  for_pip=$(pip_setting cert)
  chosen=${SSL_CERT_FILE:-${for_pip:-${REQUESTS_CA_BUNDLE:-${CURL_CA_BUNDLE:-}}}}
  if [ -f "$chosen" ]; then
    export SSL_CERT_FILE="$chosen"
  elif [ -d "$chosen" ]; then
    export SSL_CERT_DIR="$chosen"
  elif .venv/bin/python -c 'import sys, pip; sys.exit(pip.__version__.split(".") >= ["24", "2"])'; then
    chosen=$(system_certificates)
  fi
  if [ -z "$for_pip" ] && [ -n "$chosen" ]; then export PIP_CERT="$chosen"; fi
}

# An environment of its own: poetry pins many packages that Treadle uses in other versions.
poetry() {
  cmp -s requirements-poetry.lock .venv/poetry/requirements.lock && return
  say "installing poetry for the tests"
  company_network
  .venv/bin/python -m uv venv -q --clear --python .venv/bin/python .venv/poetry
  .venv/bin/python -m uv pip install -q --python .venv/poetry/bin/python --require-hashes -r requirements-poetry.lock
  cp requirements-poetry.lock .venv/poetry/requirements.lock
}

# An older Claude Code, out of an older SDK wheel: the tests drive both ends of the tested range.
older_claude() {
  cmp -s requirements-older-claude.lock .venv/older-claude/requirements.lock && return
  say "installing an older Claude Code for the tests"
  company_network
  .venv/bin/python -m uv pip install -q --python .venv/bin/python --no-deps --target .venv/older-claude \
    --require-hashes -r requirements-older-claude.lock
  cp requirements-older-claude.lock .venv/older-claude/requirements.lock
}

environment() {
  stamp=.venv/.treadle-setup
  want=$(cat pyproject.toml requirements.lock scripts/setup.sh | cksum)
  if [ -x .venv/bin/treadle ] && [ "$(cat $stamp 2>/dev/null || true)" = "$want" ]; then return; fi
  python=$(find_python)
  if [ ! -x .venv/bin/python ]; then
    say "making .venv with $("$python" --version)"
    "$python" -m venv .venv || {
      say "could not make a virtual environment (Debian: apt-get install python3-venv)"
      exit 1
    }
  fi
  company_network
  .venv/bin/python -c 'import uv' 2>/dev/null || .venv/bin/python -m pip install -q --disable-pip-version-check uv
  say "installing the locked dependencies"
  # Compiled now, so that the first command does not have to.
  .venv/bin/python -m uv pip install -q --python .venv/bin/python --compile-bytecode --require-hashes -r requirements.lock
  .venv/bin/python -m uv pip install -q --python .venv/bin/python --no-deps -e .
  printf '%s' "$want" >$stamp
  say "ready: .venv/bin/treadle"
}

system_packages
environment
if [ "${1:-}" = tests ]; then
  postgres
  terminal
  browser
  toolchains
  older_claude
  poetry
  package_managers
fi
