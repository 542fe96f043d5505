"""Roles from a file: who has which, and what is no such file."""

import os
import re

import pytest
from store.test_records import DAMAGES, DEEP

from exam_core.errors import UsageError
from exam_core.wings.serving.roles import read_roles, role_of

SAID = '[roles]\n"Ann@example.org" = "editor"\n"bob@example.org" = "reviewer"\n'


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "roles.toml"
    path.write_text(SAID)
    return path


def test_a_role_is_looked_up_by_address_in_any_case(file):
    found = [role_of(file, who) for who in ("ann@example.org", "BOB@EXAMPLE.ORG", "eve@example.org", "")]
    assert found == ["editor", "reviewer", "", ""]


def test_a_star_is_everybody_else_who_says_an_address(file):
    file.write_text(SAID + '"*" = "viewer"\n')
    assert [role_of(file, who) for who in ("bob@example.org", "eve@example.org", "")] == ["reviewer", "viewer", ""]


def test_a_change_of_the_file_counts_at_once(file):
    assert role_of(file, "ann@example.org") == "editor"
    file.write_text(SAID.replace("editor", "viewer"))
    assert role_of(file, "ann@example.org") == "viewer"
    # As long and of the same time as before, but another file.
    about = file.stat()
    other = file.with_name("other")
    other.write_text(SAID.replace("Ann", "Eva").replace("editor", "viewer"))
    os.utime(other, ns=(about.st_atime_ns, about.st_mtime_ns))
    other.replace(file)
    assert role_of(file, "ann@example.org") == ""


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("", "has no table"),
        ("[roles]\n", "has no table"),
        ('roles = "all"', "has no table"),
        ("[roles", "is not TOML"),
        ('[roles]\n"ann@example.org" = "owner"', "'ann@example.org' has the role 'owner'. Roles are viewer, rev"),
        ('[roles]\n"ann@example.org" = ["editor"]', r"has the role \['editor'\]"),
        ('[roles]\nann = "editor"', "'ann' is not an e-mail address"),
        ('[roles]\n"a@b" = "editor"\n"A@b" = "viewer"', "is there twice"),
        ('[roles]\n"a@b" = "editor"\n"a@b" = "viewer"', "is not TOML"),
    ],
)
def test_what_is_no_file_of_roles_is_refused_with_its_name(said, why, file):
    file.write_text(said)
    with pytest.raises(UsageError, match=why) as refused:
        read_roles(file)
    assert str(refused.value).startswith(f"{file}: ")


def test_a_file_that_is_not_there_is_said(tmp_path):
    with pytest.raises(UsageError, match="can't be read"):
        read_roles(tmp_path / "none")


@pytest.mark.parametrize("content", [*DAMAGES.values(), b"[roles]\na = " + b"9" * 5000, b"roles = " + b"[" * DEEP])
def test_a_damaged_file_gives_nobody_a_role(content, file):
    file.write_bytes(content)
    with pytest.raises(UsageError, match=re.escape(str(file))):
        read_roles(file)
