"""Names the programs that download from well-known hosts while packages are installed. Pure."""

# The end of a host's name, and what is downloaded from there.
KNOWN_DOWNLOADS: tuple[tuple[str, str], ...] = (
    ("cdn.playwright.dev", "Playwright downloads browsers from it"),
    ("playwright.download.prss.microsoft.com", "Playwright downloads browsers from it"),
    ("storage.googleapis.com", "Puppeteer and others download browsers from it"),
    ("download.cypress.io", "Cypress downloads its application from it"),
    ("cdn.cypress.io", "Cypress downloads its application from it"),
    ("binaries.prisma.sh", "Prisma downloads its engines from it"),
    ("nodejs.org", "node-gyp downloads headers of Node from it"),
    ("github.com", "git, Electron, sharp, uv and others download from it"),
    ("release-assets.githubusercontent.com", "files of GitHub releases are there"),
    ("objects.githubusercontent.com", "files of GitHub releases are there"),
    ("static.rust-lang.org", "rustup downloads toolchains from it"),
)


def known_download(host: str) -> str:
    """What is downloaded from a host while packages are installed; empty if nothing is known."""
    return next((text for name, text in KNOWN_DOWNLOADS if f".{host}".endswith(f".{name}")), "")
