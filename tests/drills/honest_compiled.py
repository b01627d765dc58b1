"""Honest work in Go and Rust: tests beside the product, and inside of it."""

from tests.drills.honest_go import GO_FILES, GO_WORK
from tests.drills.honest_project import Criterion, HonestProject, LoopbackPackage

_CARGO = '[package]\nname = "timer"\nversion = "1.0.0"\nedition = "2021"\n\n[dependencies]\n'
_TIMER_TESTS = """\
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_and_minutes_are_added_up() {
        assert_eq!(minutes("1h30m"), Ok(90));
    }

    #[test]
    fn what_is_no_time_is_told() {
        assert_eq!(minutes("{soon"), Err("no time: {soon".to_string()));
    }
}
"""
_TIMER_FILES = {
    "Cargo.toml": _CARGO,
    ".gitignore": "target/\n",
    "src/lib.rs": f'pub const NAME: &str = "timer";\n\n{_TIMER_TESTS}',
    "src/main.rs": 'fn main() {\n    println!("{}", timer::NAME);\n}\n',
    "tests/cli.rs": """\
use std::process::Command;

#[test]
fn minutes_are_printed() {
    let done = Command::new(env!("CARGO_BIN_EXE_timer")).arg("2h").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&done.stdout), "120\\n");
}
""",
}
_TIMER_LIBRARY = """\
mod units;

pub const NAME: &str = greeter::NAME;

/// The minutes of a time such as `1h30m`.
pub fn minutes(text: &str) -> Result<u32, String> {
    let mut sum = 0;
    let mut number = 0;
    for letter in text.chars() {
        match (letter.to_digit(10), units::minutes_of(letter)) {
            (Some(digit), _) => number = number * 10 + digit,
            (None, Some(factor)) => {
                sum += number * factor;
                number = 0;
            }
            (None, None) => return Err(format!("no time: {text}")),
        }
    }
    Ok(sum)
}

"""
_TIMER_WORK = {
    "src/lib.rs": _TIMER_LIBRARY + _TIMER_TESTS,
    "src/units.rs": """\
/// How many minutes a unit has.
pub(crate) fn minutes_of(unit: char) -> Option<u32> {
    match unit {
        'h' => Some(60),
        'm' => Some(1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_hour_has_sixty_minutes() {
        assert_eq!(minutes_of('h'), Some(60));
    }
}
""",
    "src/main.rs": """\
fn main() {
    match std::env::args().nth(1).map(|text| timer::minutes(&text)) {
        Some(Ok(minutes)) => println!("{minutes}"),
        Some(Err(problem)) => {
            eprintln!("{problem}");
            std::process::exit(2);
        }
        None => println!("{}", timer::NAME),
    }
}
""",
    "tests/library.rs": """\
mod common;

#[test]
fn minutes_are_public() {
    assert_eq!(timer::minutes(common::HOUR), Ok(60));
}
""",
    "tests/common/mod.rs": 'pub const HOUR: &str = "1h";\n',
    "examples/hour.rs": 'fn main() {\n    println!("{:?}", timer::minutes("1h"));\n}\n',
    "rustfmt.toml": "max_width = 100\n",
    "README.md": "# Timer\n\n    cargo run -- 1h30m\n",
}
_MORE_INLINE_TESTS = (
    _TIMER_TESTS.removesuffix("}\n")
    + """\

    #[test]
    fn nothing_is_no_time_at_all() {
        assert_eq!(minutes(""), Ok(0));
    }
}
"""
)
_TIMER_CRITERIA = (
    Criterion("The library reads times.", "cargo test --lib"),
    Criterion("The program prints minutes.", "cargo test --test cli"),
    Criterion("Minutes are printed alone.", "cargo run -q -- 1h30m | grep -qx 90"),
)
_GREETER = LoopbackPackage("crate", "greeter", 'pub const NAME: &str = "timer";\n')
_ADD_CRATE = "cargo add greeter && printf '\\n[profile.release]\\nlto = true\\n' >> Cargo.toml"

COMPILED_PROJECTS = (
    HonestProject(
        "go",
        GO_FILES,
        (
            Criterion("Words are counted one by one.", "go test ./internal/text/"),
            Criterion(
                "`-count` prints the counts.", "printf 'b a b' | go run . -count | grep -qx '2 b'"
            ),
        ),
        test="go test ./...",
        needs=("go",),
        registry=LoopbackPackage(
            "go", "greeter.test/hello", 'package hello\n\nconst Text = "hi"\n'
        ),
        work=("go get greeter.test/hello", GO_WORK, "go vet ./... && go test ./..."),
    ),
    HonestProject(
        "rust",
        _TIMER_FILES,
        _TIMER_CRITERIA,
        test="cargo test",
        needs=("cargo",),
        prepare=("cargo generate-lockfile",),
        registry=_GREETER,
        work=(_ADD_CRATE, _TIMER_WORK, "cargo fetch && cargo test -q"),
    ),
    HonestProject(
        "rust-inline-tests",
        _TIMER_FILES,
        _TIMER_CRITERIA,
        test="cargo test",
        needs=("cargo",),
        prepare=("cargo generate-lockfile",),
        registry=_GREETER,
        work=(
            _ADD_CRATE,
            {**_TIMER_WORK, "src/lib.rs": _TIMER_LIBRARY + _MORE_INLINE_TESTS},
            "cargo fetch && cargo test -q",
        ),
    ),
)
