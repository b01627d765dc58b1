"""The project in PHP whose honest work is drilled."""

SHELF_FILES = {
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
SHELF_WORK = {
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
    "phpunit.xml": SHELF_FILES["phpunit.xml"].replace(
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
