"""`examboard export site`."""


def test_a_page_says_how_it_was_made_and_how_large_it_is(examboard, demo_store, tmp_path):
    file = tmp_path / "a page.html"
    done = examboard(demo_store, "export", "site", "demo", file, "--measure", "P@5", "--bank", "open")
    assert done.status == 0, done.err
    assert "15 leaderboards of 1 grading mode, 1 measure, 5 taus, 3 label ranks, 2 references: about" in done.err
    assert "15 leaderboards, " in done.out
    assert " MB" in done.out
    assert "examboard export site demo &#x27;a page.html&#x27; --measure P@5 --bank open" in file.read_text()


def test_two_pages_of_the_same_data_are_the_same(examboard, demo_store, tmp_path):
    texts = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        examboard(demo_store, "export", "site", "demo", folder / "page.html", "--measure", "RR")
        texts.append((folder / "page.html").read_bytes())
    assert texts[0] == texts[1]
