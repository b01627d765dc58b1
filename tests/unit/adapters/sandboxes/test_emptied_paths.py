"""What holds logins or is of other projects is empty in a sandbox that shows what is around it."""

from dataclasses import replace
from pathlib import Path

from treadle.adapters.sandboxes.bubblewrap import Bubblewrap

from .test_bubblewrap import folder, output, sandbox, within

__all__ = ["folder", "sandbox"]


async def test_a_file_that_holds_a_login_is_empty_inside(sandbox: Bubblewrap, folder: Path) -> None:
    (folder / "shown/npmrc").write_text("_authToken=hunter2\n")
    (folder / "unseen").write_text("hunter2\n")
    emptied = (folder / "shown/npmrc", folder / "unseen", folder / "shown/absent")
    confined = replace(within(folder, "shown"), emptied=emptied)

    line = f"cat {folder}/shown/npmrc {folder}/shown/text; ls {folder}/shown {folder}/unseen"
    text = await output(sandbox, line, confined)

    assert "hunter2" not in text
    assert text.startswith("shown\n")
    assert "npmrc\ntext\n" in text
    assert "unseen': No such file" in text


async def test_a_private_directory_is_empty_inside_but_for_what_is_shown_in_it(
    sandbox: Bubblewrap, folder: Path
) -> None:
    for name in ("envs/other/pip.conf", "envs/ours/pip.conf", "envs/ours/text", "bin/tool"):
        (folder / "conda" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "conda" / name).write_text(f"{name}\n")
    (folder / "link").symlink_to("conda")
    (folder / "conda/dotfiles").mkdir()
    (folder / "conda/dotfiles/condarc").write_text("hunter2\n")
    (folder / "conda/.condarc").symlink_to("dotfiles/condarc")
    names = ("envs", "envs/other/pip.conf", "envs/ours/pip.conf", ".condarc", "envs/other")
    confined = replace(
        within(folder, "link", "conda/envs/ours"),
        emptied=tuple(folder / "conda" / name for name in names),
    )
    line = f"cd {folder}; find conda/ link/ -type f -not -empty | sort; mkdir link/envs/x; ls work"

    text = await output(sandbox, line, confined)

    assert text.splitlines()[:4] == [
        *("conda/bin/tool", "conda/envs/ours/text", "link/bin/tool"),
        "mkdir: cannot create directory 'link/envs/x': Read-only file system",
    ]
    assert sorted(path.name for path in (folder / "conda/envs").iterdir()) == ["other", "ours"]
