"""Honest work in Ruby and PHP projects: RSpec, minitest, PHPUnit."""

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

_SHELF_FILES = {
    "phpunit.xml": """\
<?xml version="1.0"?>
<phpunit bootstrap="src/autoload.php" colors="false" cacheResult="false">
  <testsuites><testsuite name="all"><directory>tests</directory></testsuite></testsuites>
</phpunit>
""",
    "src/autoload.php": """\
<?php
spl_autoload_register(function (string $class): void {
    $path = __DIR__ . '/' . str_replace(['Shelf\\\\', '\\\\'], ['', '/'], $class) . '.php';
    if (is_file($path)) {
        require $path;
    }
});
""",
    "src/Book.php": """\
<?php
namespace Shelf;

final class Book
{
    public function __construct(public string $title, public int $pages)
    {
    }
}
""",
    "tests/BookTest.php": """\
<?php
use PHPUnit\\Framework\\TestCase;

final class BookTest extends TestCase
{
    public function testABookHasATitle(): void
    {
        $this->assertSame('Emma', (new Shelf\\Book('Emma', 474))->title);
    }
}
""",
    "tests/ShelfTest.php": """\
<?php
use PHPUnit\\Framework\\TestCase;

final class ShelfTest extends TestCase
{
    public function testPagesAreAddedUp(): void
    {
        $shelf = new Shelf\\Shelf([new Shelf\\Book('Emma', 474), new Shelf\\Book('Dune', 412)]);
        $this->assertSame(886, $shelf->pages());
    }
}
""",
    "README.md": "# Shelf\n",
}
_SHELF_WORK = {
    "src/Shelf.php": """\
<?php
namespace Shelf;

use Shelf\\Support\\Sum;

final class Shelf
{
    /** @param Book[] $books */
    public function __construct(private array $books)
    {
    }

    public function pages(): int
    {
        return Sum::of(array_map(fn (Book $book): int => $book->pages, $this->books));
    }
}
""",
    "src/Support/Sum.php": """\
<?php
namespace Shelf\\Support;

final class Sum
{
    /** @param int[] $numbers */
    public static function of(array $numbers): int
    {
        return array_sum($numbers);
    }
}
""",
    "bin/shelf.php": """\
<?php
require __DIR__ . '/../src/autoload.php';

$books = array_map(fn (string $n) => new Shelf\\Book('a book', (int) $n), array_slice($argv, 1));
echo (new Shelf\\Shelf($books))->pages(), "\\n";
""",
    "composer.json": '{\n  "autoload": {"psr-4": {"Shelf\\\\\\\\": "src/"}},\n'
    '  "scripts": {"test": "phpunit"}\n}\n',
    "phpunit.xml": _SHELF_FILES["phpunit.xml"].replace(
        "</phpunit>", '  <php><env name="MODE" value="test"/></php>\n</phpunit>'
    ),
    "tests/SumTest.php": """\
<?php
use PHPUnit\\Framework\\TestCase;

final class SumTest extends TestCase
{
    public function testNothingIsZero(): void
    {
        $this->assertSame(['test', 0], [getenv('MODE'), Shelf\\Support\\Sum::of([])]);
    }
}
""",
    "phpstan.neon": "parameters:\n  level: 5\n",
    "README.md": "# Shelf\n\n    php bin/shelf.php 474 412\n",
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
        _SHELF_FILES,
        (
            Criterion("A shelf knows its pages.", "phpunit tests/ShelfTest.php"),
            Criterion("The program prints them.", "php bin/shelf.php 474 412 | grep -qx 886"),
        ),
        test="phpunit",
        needs=("phpunit",),
        work=(_SHELF_WORK, "phpunit"),
    ),
)
