"""Honest work in Ruby and PHP projects: RSpec, minitest, PHPUnit."""

from tests.drills.honest_php import SHELF_FILES, SHELF_WORK
from tests.drills.honest_project import Criterion, HonestProject

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
