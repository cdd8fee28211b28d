from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from driftgate.errors import InvalidDataError
from driftgate.index.settings import DEFAULT_INDEX, IndexSettings, read_settings

if TYPE_CHECKING:
    from pathlib import Path


def test_without_any_settings_the_public_index_is_asked() -> None:
    """pip's own default."""
    assert read_settings({}, ()).indexes == (DEFAULT_INDEX,)


def test_config_files_are_read_from_general_to_special(tmp_path: Path) -> None:
    """A later file, and the [install] section, override; keys may use either separator."""
    general, special = tmp_path / "a.conf", tmp_path / "b.conf"
    general.write_text("[global]\nindex-url = https://one/simple\nfind-links = /a\n  /b\ncert = /c")
    special.write_text("[global]\nindex_url = https://two/simple\n[install]\ncert = /d")

    assert read_settings({}, (general, special, tmp_path / "absent.conf")) == IndexSettings(
        "https://two/simple", find_links=("/a", "/b"), cert="/d"
    )


def test_the_environment_overrides_config_files(tmp_path: Path) -> None:
    """``PIP_*`` wins; lists are split at white space; an empty variable says nothing."""
    file = tmp_path / "pip.conf"
    file.write_text(
        "[global]\nindex-url = https://one/simple\nextra-index-url = https://old/simple"
    )
    environ = {
        "PIP_INDEX_URL": "",
        "PIP_EXTRA_INDEX_URL": "https://two/simple file:///three",
        "PIP_FIND_LINKS": "/wheels",
    }

    assert read_settings(environ, (file,)) == IndexSettings(
        "https://one/simple", ("https://two/simple", "file:///three"), ("/wheels",)
    )


@pytest.mark.parametrize(("value", "indexes"), [("1", 0), ("true", 0), ("0", 1), ("false", 1)])
def test_no_index_leaves_find_links_only(value: str, indexes: int) -> None:
    """With no-index set, no index is asked at all."""
    assert len(read_settings({"PIP_NO_INDEX": value}, ()).indexes) == indexes


def test_pip_config_file_replaces_the_users_own(tmp_path: Path) -> None:
    """A named file is read last, and the files in the user's home are not read beside it."""
    home = tmp_path / "home"
    (home / ".config" / "pip").mkdir(parents=True)
    (home / ".config" / "pip" / "pip.conf").write_text("[global]\nfind-links = /user\ncert = /user")
    named = tmp_path / "named.conf"
    named.write_text("[global]\ncert = /named")
    environ = {"HOME": str(home), "XDG_CONFIG_DIRS": str(tmp_path)}

    assert read_settings(environ).cert == "/user"
    both = read_settings({**environ, "PIP_CONFIG_FILE": str(named)})
    assert both.cert == "/named"
    assert "/user" not in both.find_links
    assert read_settings({**environ, "PIP_CONFIG_FILE": "/dev/null"}) == IndexSettings()


def test_a_broken_config_file_is_one_clear_error(tmp_path: Path) -> None:
    """The error names the file."""
    file = tmp_path / "pip.conf"
    file.write_text("index-url = nowhere")

    with pytest.raises(InvalidDataError, match=r"pip\.conf: ") as caught:
        read_settings({}, (file,))
    assert "\n" not in str(caught.value)
