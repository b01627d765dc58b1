"""Honest work in C, with a makefile that builds and tests it."""

from tests.drills.honest_project import Criterion, HonestProject

_WORDS_MAKEFILE = """\
CC = gcc
CFLAGS = -Wall -Iinclude
OBJECTS = build/words.o

wordtool: build/main.o $(OBJECTS)
	$(CC) -o $@ $^

build/%.o: src/%.c
	@mkdir -p build
	$(CC) $(CFLAGS) -c -o $@ $<

build/test_words: tests/test_words.c $(OBJECTS)
	$(CC) $(CFLAGS) -o $@ $^

test: build/test_words
	./build/test_words

clean:
	rm -rf build wordtool

.PHONY: test clean
"""
_WORDS_FILES = {
    "Makefile": _WORDS_MAKEFILE,
    ".gitignore": "build/\nwordtool\n",
    "include/words.h": "int count_words(const char *text);\n",
    "src/words.c": """\
#include "words.h"

int count_words(const char *text) { return *text ? 1 : 0; }
""",
    "src/main.c": """\
#include <stdio.h>

#include "words.h"

int main(void) {
    char text[4096] = {0};
    if (fread(text, 1, sizeof text - 1, stdin) == 0) return 1;
    printf("%d\\n", count_words(text));
    return 0;
}
""",
    "tests/test_words.c": """\
#include <assert.h>
#include <stdio.h>

#include "words.h"

int main(void) {
    assert(count_words("") == 0);
    assert(count_words("a") == 1);
    assert(count_words(" a  b\\n") == 2);
    puts("3 passed");
    return 0;
}
""",
    "README.md": "# Words\n",
}
_WORDS_WORK = {
    "src/words.c": """\
#include "letters.h"
#include "words.h"

int count_words(const char *text) {
    int count = 0, inside = 0;
    for (; *text; text++) {
        if (is_blank(*text)) {
            inside = 0;
        } else if (!inside) {
            inside = 1;
            count++;
        }
    }
    return count;
}
""",
    "include/letters.h": "int is_blank(char letter);\n",
    "src/letters.c": """\
#include "letters.h"

int is_blank(char letter) { return letter == ' ' || letter == '\\n' || letter == '\\t'; }
""",
    # A new source has to be named there.
    "Makefile": _WORDS_MAKEFILE.replace("build/words.o", "build/words.o build/letters.o").replace(
        ".PHONY: test clean",
        "build/test_letters: tests/test_letters.c $(OBJECTS)\n"
        "\t$(CC) $(CFLAGS) -o $@ $^\n\n"
        "test-letters: build/test_letters\n\t./build/test_letters\n\n"
        "install: wordtool\n\tinstall wordtool /usr/local/bin\n\n"
        ".PHONY: test test-letters clean install",
    ),
    "tests/test_letters.c": """\
#include <assert.h>

#include "letters.h"

int main(void) {
    assert(is_blank(' '));
    return 0;
}
""",
    ".clang-format": "IndentWidth: 4\n",
    "README.md": "# Words\n\n    make && ./wordtool < FILE\n",
}

MAKE_PROJECTS = (
    HonestProject(
        "make-c",
        _WORDS_FILES,
        (
            Criterion("Words are counted.", "make test"),
            Criterion(
                "The program prints the count.",
                "make wordtool && printf 'a b\\n' | ./wordtool | grep -qx 2",
            ),
        ),
        test="make test",
        needs=("gcc", "make"),
        work=(_WORDS_WORK, "make test && make test-letters && make && make clean"),
        length="short",
    ),
)
