"""A build file of the work is taken if its lists of sources or dependencies are longer alone."""

import pytest

from treadle.verify.manifests.source_lists import merge_makefile, merge_pom, merge_source_list

CMAKE = "# shop\nadd_library(shop src/cart.c)\nadd_test(NAME cart COMMAND t_cart)\n"
MAKE = "SRC = cart.c \\\n  money.c\ncheck: t_cart\n\tcc -o t_cart $(SRC)\n\t./t_cart\n"
POM = "<project><dependencies><dependency>a</dependency></dependencies><build>b</build></project>"


@pytest.mark.parametrize(
    "work",
    [
        CMAKE,
        CMAKE.replace("src/cart.c", "src/cart.c src/money.c"),
        CMAKE.replace("src/cart.c", "\n  src/a.c\n  src/cart.c\n"),
    ],
)
def test_more_sources_are_taken(work: str) -> None:
    assert merge_source_list(CMAKE.encode(), work.encode()) == work.encode()


@pytest.mark.parametrize(
    "work",
    [
        CMAKE.replace("t_cart)", "true)"),
        CMAKE.replace("COMMAND", "COMMAND ./ok.c"),
        CMAKE.replace("add_test(NAME cart COMMAND t_cart)\n", ""),
        CMAKE.replace("src/cart.c", ""),
        CMAKE.replace("src/cart.c", "src/cart.c tests/test_cart.c"),
        # The line end was all that kept the call out of a comment.
        CMAKE.replace("# shop\n", "# shop ", 1),
    ],
)
def test_no_other_change_is(work: str) -> None:
    assert merge_source_list(CMAKE.encode(), work.encode()) is None


@pytest.mark.parametrize(
    ("work", "is_taken"),
    [
        (MAKE.replace("cart.c \\", "cart.c rates.c \\"), True),
        (MAKE.replace("  money.c\n", "  money.c \\\n  rates.c\n"), True),
        (MAKE.replace("\t./t_cart", "\t./ok.c ./t_cart"), False),
        (MAKE.replace("\t./t_cart", "\ttrue"), False),
        (MAKE + "build:\n\ttrue\n", False),
    ],
)
def test_a_makefile_is_read_by_its_lines(work: str, is_taken: bool) -> None:
    assert merge_makefile(MAKE.encode(), work.encode()) == (work.encode() if is_taken else None)


@pytest.mark.parametrize(
    ("work", "is_taken"),
    [
        (POM.replace("</dependency>", "</dependency><dependency>c</dependency>"), True),
        (POM.replace("<build>b", "<build>c"), False),
        (POM.replace("</dependencies>", "<systemPath>x</systemPath></dependencies>"), False),
        (
            POM.replace(
                "</project>", "<properties><skipTests>1</skipTests></properties></project>"
            ),
            False,
        ),
        (POM.replace("<build>b", "<build><dependencies>c</dependencies>b"), False),
        (POM.replace("</build>", ""), False),
    ],
)
def test_a_pom_differs_by_the_dependencies_of_the_project_alone(work: str, is_taken: bool) -> None:
    assert merge_pom(POM.encode(), work.encode()) == (work.encode() if is_taken else None)
