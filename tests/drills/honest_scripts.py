"""Honest work in shell, Ruby and PHP projects: bats, plain scripts, RSpec, minitest, PHPUnit."""

from tests.drills.honest_php import SHELF_FILES, SHELF_WORK
from tests.drills.honest_project import Criterion, HonestProject

_BACKUP_FILES = {
    "bin/backup": """\
#!/usr/bin/env bash
set -eu
case "${1:-}" in
  list) ls "$2" ;;
  *) echo "usage: backup list DIRECTORY" >&2; exit 2 ;;
esac
""",
    "test/test_helper.bash": 'backup() { "$BATS_TEST_DIRNAME/../bin/backup" "$@"; }\n',
    "test/list.bats": """\
load test_helper

@test "list names the files" {
  run backup list "$BATS_TEST_DIRNAME/samples"
  [ "$status" -eq 0 ]
  [ "${lines[0]}" = 2026-03-01.tar ]
}
""",
    "test/newest.bats": """\
load test_helper

@test "newest names the newest file" {
  run backup newest "$BATS_TEST_DIRNAME/samples"
  [ "$status" -eq 0 ]
  [ "$output" = 2026-03-02.tar ]
}

@test "a date is read from a name" {
  source "$BATS_TEST_DIRNAME/../lib/dates.sh"
  [ "$(date_of samples/2026-03-02.tar)" = 2026-03-02 ]
}
""",
    "test/samples/2026-03-01.tar": "old\n",
    "test/samples/2026-03-02.tar": "new\n",
    "Makefile": "test:\n\tbats test\n\n.PHONY: test\n",
    "README.md": "# Backup\n",
}
_BACKUP_WORK = {
    "bin/backup": """\
#!/usr/bin/env bash
set -eu
here=$(dirname "$0")
source "$here/../lib/dates.sh"
case "${1:-}" in
  list) ls "$2" ;;
  newest) ls "$2" | sort_by_date | tail -1 ;;
  dates) for file in "$2"/*; do date_of "$file"; done ;;
  *) echo "usage: backup list|newest|dates DIRECTORY" >&2; exit 2 ;;
esac
""",
    "lib/dates.sh": """\
# What names of backups say about their dates.
date_of() {
  local name
  name=$(basename "$1")
  echo "${name%%.*}"
}

sort_by_date() { sort; }
""",
    "completions/backup.bash": "complete -W 'list newest dates' backup\n",
    "test/test_helper.bash": _BACKUP_FILES["test/test_helper.bash"]
    + 'empty() { mktemp -d "$BATS_TEST_TMPDIR/XXXX"; }\n',
    "test/dates.bats": """\
load test_helper

@test "an empty directory has no newest file" {
  run backup newest "$(empty)"
  [ -z "$output" ]
}
""",
    ".shellcheckrc": "disable=SC1091\n",
    "Makefile": "test:\n\tbats test\n\nlint:\n\tshellcheck bin/backup lib/*.sh\n\n"
    "install:\n\tinstall bin/backup /usr/local/bin\n\n.PHONY: test lint install\n",
    "README.md": "# Backup\n\n    bin/backup newest DIRECTORY\n",
}

_CASE_FILES = {
    "lib/case.sh": 'upper() { printf "%s\\n" "$1" | tr a-z A-Z; }\n',
    "test/run.sh": """\
#!/bin/sh
# Runs every test; each is a script that fails if something is wrong.
cd "$(dirname "$0")" || exit 2
failed=0
for file in *_test.sh; do
  if sh "./$file"; then echo "ok $file"; else echo "FAILED $file"; failed=1; fi
done
exit $failed
""",
    "test/assert.sh": """\
equals() {
  [ "$1" = "$2" ] && return
  echo "expected $2, found $1" >&2
  exit 1
}
""",
    "test/upper_test.sh": '. ./assert.sh\n. ../lib/case.sh\nequals "$(upper ab)" AB\n',
    "test/title_test.sh": """\
. ./assert.sh
. ../lib/case.sh
equals "$(title 'a day out')" "A Day Out"
""",
    "README.md": "# Case\n",
}
_CASE_WORK = {
    "lib/case.sh": _CASE_FILES["lib/case.sh"]
    + """\

title() {
  for word in $1; do
    rest=${word#?}
    printf '%s%s\\n' "$(upper "${word%"$rest"}")" "$rest"
  done | paste -sd ' '
}
""",
    "case.sh": """\
#!/bin/sh
# usage: case.sh upper|title TEXT
. "$(dirname "$0")/lib/case.sh"
case "$1" in
  upper | title) "$1" "$2" ;;
  *) echo "usage: case.sh upper|title TEXT" >&2; exit 2 ;;
esac
""",
    "test/assert.sh": _CASE_FILES["test/assert.sh"] + 'contains() { echo "$1" | grep -q "$2"; }\n',
    "test/usage_test.sh": "sh ../case.sh 2>/dev/null && exit 1\nexit 0\n",
    "README.md": "# Case\n\n    ./case.sh title 'a day out'\n\nTests: `sh test/run.sh`.\n",
}

_BILL_FILES = {
    ".rspec": "--require spec_helper\n",
    "spec/spec_helper.rb": "require 'billing'\n",
    "lib/billing.rb": "module Billing\nend\n",
    "spec/billing_spec.rb": "RSpec.describe Billing do\n"
    "  it('is a module') { expect(Billing).to be_a(Module) }\nend\n",
    "spec/invoice_spec.rb": """\
RSpec.describe 'Billing::Invoice' do
  let(:invoice) { Billing::Invoice.read(File.join(__dir__, 'fixtures', 'tea.csv')) }

  it('adds up its lines') { expect(invoice.total).to eq(42) }
  it('has a line for each item') { expect(invoice.lines.map(&:item)).to eq(%w[tea cups]) }
end
""",
    "spec/fixtures/tea.csv": "tea,2,6\ncups,3,10\n",
    "Rakefile": "task(:spec) { sh 'rspec' }\n",
    "README.md": "# Billing\n",
}
_BILL_WORK = {
    "lib/billing.rb": "require 'billing/invoice'\nrequire 'billing/version'\n\n"
    "# Bills and what they add up to.\nmodule Billing\nend\n",
    "lib/billing/version.rb": "module Billing\n  VERSION = '1.1.0'\nend\n",
    "lib/billing/line.rb": """\
module Billing
  Line = Struct.new(:item, :count, :price) do
    def total = count * price
  end
end
""",
    "lib/billing/invoice.rb": """\
require 'csv'

require 'billing/line'

module Billing
  # The lines of a bill.
  Invoice = Struct.new(:lines) do
    def self.read(path)
      rows = CSV.read(path)
      new(rows.map { |item, count, price| Line.new(item, Integer(count), Integer(price)) })
    end

    def total = lines.sum(&:total)
  end
end
""",
    "exe/billing": "#!/usr/bin/env ruby\n$LOAD_PATH.unshift(File.join(__dir__, '..', 'lib'))\n"
    "require 'billing'\n\nputs Billing::Invoice.read(ARGV.fetch(0)).total\n",
    "billing.gemspec": """\
require_relative 'lib/billing/version'

Gem::Specification.new do |spec|
  spec.name = 'billing'
  spec.version = Billing::VERSION
  spec.summary = 'Bills'
  spec.authors = ['Ada Example']
  spec.files = Dir['lib/**/*.rb']
end
""",
    ".rubocop.yml": "AllCops:\n  NewCops: enable\n",
    "spec/support/lines.rb": "def a_line = Billing::Line.new('tea', 1, 2)\n",
    "spec/line_spec.rb": "require_relative 'support/lines'\n\nRSpec.describe Billing::Line do\n"
    "  it('multiplies') { expect(a_line.total).to eq(2) }\nend\n",
    "Rakefile": "task(:spec) { sh 'rspec' }\ntask(:lint) { sh 'rubocop' }\n",
    "README.md": "# Billing\n\n    exe/billing FILE.csv\n",
}

_ROMAN_FILES = {
    "lib/roman.rb": "module Roman\nend\n",
    "test/test_helper.rb": "$LOAD_PATH.unshift(File.join(__dir__, '..', 'lib'))\n"
    "require 'minitest/autorun'\n",
    "test/test_roman.rb": """\
require_relative 'test_helper'
require 'roman'

class TestRoman < Minitest::Test
  def test_numbers_are_written = assert_equal('XIV', Roman.write(14))
  def test_nothing_is_written_for_zero = assert_equal('', Roman.write(0))
end
""",
    "Rakefile": "require 'rake/testtask'\n\n"
    "Rake::TestTask.new { |task| task.pattern = 'test/test_*.rb' }\n",
}
_ROMAN_WORK = {
    "lib/roman.rb": """\
require_relative 'roman/numerals'

# Numbers as the Romans wrote them.
module Roman
  def self.write(number)
    NUMERALS.reduce(+'') do |text, (value, letters)|
      count, number = number.divmod(value)
      text << letters * count
    end
  end
end
""",
    "lib/roman/numerals.rb": "module Roman\n"
    "  NUMERALS = { 10 => 'X', 9 => 'IX', 5 => 'V', 4 => 'IV', 1 => 'I' }.freeze\nend\n",
    "test/test_helper.rb": _ROMAN_FILES["test/test_helper.rb"] + "TEN = 10\n",
    "test/test_numerals.rb": """\
require_relative 'test_helper'
require 'roman'

class TestNumerals < Minitest::Test
  def test_ten = assert_equal('X', Roman::NUMERALS[TEN])
end
""",
    "README.md": "# Roman\n",
}

SCRIPT_PROJECTS = (
    HonestProject(
        "bats",
        _BACKUP_FILES,
        (
            Criterion("The newest backup is named.", "bats test/newest.bats"),
            Criterion(
                "`backup dates` prints a date for each backup.",
                "./bin/backup dates test/samples | grep -c '^2026-' | grep -qx 2",
            ),
        ),
        test="make test",
        needs=("bats", "make"),
        prepare=("chmod +x bin/backup",),
        work=(_BACKUP_WORK, "make test"),
    ),
    HonestProject(
        "plain-shell",
        _CASE_FILES,
        (
            Criterion("Titles are made.", "cd test && sh title_test.sh"),
            Criterion(
                "`case.sh` makes titles.",
                "test \"$(./case.sh title 'a day out')\" = 'A Day Out'",
            ),
            Criterion(
                "`case.sh` says how it is used.",
                "./case.sh 2>&1 >/dev/null | grep -q '^usage: '",
            ),
        ),
        test="sh test/run.sh",
        work=(_CASE_WORK, "chmod +x case.sh && sh test/run.sh"),
        length="short",
    ),
    HonestProject(
        "rspec",
        _BILL_FILES,
        (
            Criterion("Invoices are added up.", "rspec spec/invoice_spec.rb"),
            Criterion(
                "`billing FILE` prints the total.",
                "ruby exe/billing spec/fixtures/tea.csv | grep -qx 42",
            ),
        ),
        test="rspec",
        needs=("rspec",),
        work=(_BILL_WORK, "chmod +x exe/billing && rspec"),
    ),
    HonestProject(
        "minitest",
        _ROMAN_FILES,
        (
            Criterion("Numbers are written.", "ruby test/test_roman.rb"),
            Criterion(
                "The library can be used alone.",
                "ruby -Ilib -rroman -e 'puts Roman.write(9)' | grep -qx IX",
            ),
        ),
        test="rake test",
        needs=("rake",),
        work=(_ROMAN_WORK, "rake test"),
    ),
    HonestProject(
        "phpunit",
        SHELF_FILES,
        (
            Criterion("A shelf knows its pages.", "phpunit tests/ShelfTest.php"),
            Criterion("The program prints them.", "php bin/shelf.php 474 412 | grep -qx 886"),
        ),
        test="phpunit",
        needs=("phpunit",),
        work=(SHELF_WORK, "phpunit"),
    ),
)
