"""`examboard export parquet`."""


def test_a_folder_goes_out_with_its_readme_last(examboard, demo_store, memory, monkeypatch):
    sent = []
    put_file = type(memory).put_file
    monkeypatch.setattr(type(memory), "put_file", lambda *all, **more: (sent.append(all[2]), put_file(*all, **more)))
    assert examboard(demo_store, "export", "parquet", "demo", "memory://b/out").status == 0
    assert sent[-1] == "/b/out/README.md"
    assert "/b/out/grades/grader=lexical.pourpre-idf/part-00000.parquet" in sent
    done = examboard(demo_store, "export", "parquet", "demo", "memory://b/out")
    assert (done.status, done.err) == (1, "memory://b/out: holds files already. Name another folder.\n")
