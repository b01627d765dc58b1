"""The project in Go whose honest work is drilled."""

GO_FILES = {
    "go.mod": "module words.test/words\n\ngo 1.19\n",
    "main.go": """\
package main

import (
	"fmt"
	"io"
	"os"

	"words.test/words/internal/text"
)

func main() {
	input, _ := io.ReadAll(os.Stdin)
	fmt.Println(len(text.Words(string(input))))
}
""",
    "internal/text/words.go": """\
package text

import "strings"

// Words splits a text at blanks.
func Words(text string) []string { return strings.Fields(text) }
""",
    "internal/text/words_test.go": """\
package text

import "testing"

func TestWords(t *testing.T) {
	if found := len(Words("a b")); found != 2 {
		t.Errorf("found %d words", found)
	}
}
""",
    "internal/text/count_test.go": """\
package text

import (
	"os"
	"testing"
)

func TestCount(t *testing.T) {
	poem, err := os.ReadFile("testdata/poem.txt")
	if err != nil {
		t.Fatal(err)
	}
	if found := Count(string(poem))["rose"]; found != 3 {
		t.Errorf("found rose %d times", found)
	}
}
""",
    "internal/text/testdata/poem.txt": "a rose is a rose is a rose\n",
    "README.md": "# Words\n",
}
GO_WORK = {
    "internal/text/count.go": """\
package text

// Count counts the words of a text.
func Count(text string) map[string]int {
	counts := map[string]int{}
	for _, word := range Words(text) {
		counts[word]++
	}
	return counts
}
""",
    "internal/text/order_test.go": """\
package text

import (
	"testing"

	"words.test/words/internal/testutil"
)

func TestCountOfNothing(t *testing.T) {
	testutil.Equal(t, len(Count("")), 0)
}
""",
    "internal/testutil/equal.go": """\
// Package testutil has what tests share.
package testutil

import "testing"

// Equal fails a test if two numbers differ.
func Equal(t *testing.T, found, expected int) {
	t.Helper()
	if found != expected {
		t.Errorf("%d is not %d", found, expected)
	}
}
""",
    "internal/report/report.go": """\
// Package report prints counts.
package report

import (
	_ "embed"
	"io"
	"text/template"
)

//go:embed templates/count.tmpl
var source string

// Write prints one line for each word.
func Write(to io.Writer, counts map[string]int) error {
	return template.Must(template.New("count").Parse(source)).Execute(to, counts)
}
""",
    "internal/report/templates/count.tmpl": "{{range $word, $n := .}}{{$n}} {{$word}}\n{{end}}",
    "internal/report/report_test.go": """\
package report

import (
	"strings"
	"testing"
)

func TestWrite(t *testing.T) {
	var to strings.Builder
	if err := Write(&to, map[string]int{"a": 1}); err != nil || to.String() != "1 a\\n" {
		t.Errorf("%q, %v", to.String(), err)
	}
}
""",
    "main.go": """\
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"greeter.test/hello"

	"words.test/words/internal/report"
	"words.test/words/internal/text"
)

func main() {
	count := flag.Bool("count", false, hello.Text)
	flag.Parse()
	input, _ := io.ReadAll(os.Stdin)
	if *count {
		_ = report.Write(os.Stdout, text.Count(string(input)))
		return
	}
	fmt.Println(len(text.Words(string(input))))
}
""",
    ".golangci.yml": "linters:\n  enable: [errcheck]\n",
    "Makefile": "test:\n\tgo test ./...\n",
    "README.md": "# Words\n\n    go run . -count < FILE\n",
}
