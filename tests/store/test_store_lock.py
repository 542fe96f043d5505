"""The store's connection reads the store and nothing else, and its settings can't be changed."""

import duckdb
import pytest

from exam_core.store import Store
from exam_core.store.sharing import export_duckdb

from .store_samples import passages, reading


@pytest.fixture(scope="module")
def beside(tmp_path_factory):
    """A folder with a store, the same store as a file, and beside them what is not theirs."""
    folder = tmp_path_factory.mktemp("beside")
    store = Store(folder / "store")
    store.commit("c", reading(passages("d1")), source="a")
    export_duckdb([store.snapshot("c")], folder / "shared.duckdb")
    (folder / "store-of-another").mkdir()
    for secret in ("secret.csv", "store-of-another/secret.csv"):
        (folder / secret).write_text("a,b\n1,2\n")
    (folder / "store" / "link.csv").symlink_to(folder / "secret.csv")
    return folder


@pytest.fixture(scope="module", params=["store", "shared.duckdb"])
def snapshot(request, beside):
    return Store(beside / request.param).snapshot("c")


OUTSIDE = {
    "read_csv": "SELECT * FROM read_csv('/etc/passwd')",
    "read_text": "SELECT * FROM read_text('/etc/passwd')",
    "read_blob": "SELECT * FROM read_blob('/etc/*')",
    "sniff_csv": "SELECT * FROM sniff_csv('/etc/passwd')",
    "parquet_metadata": "SELECT * FROM parquet_metadata('/etc/passwd')",
    "glob": "SELECT * FROM glob('/etc/*')",
    "the folder above": "SELECT * FROM read_csv('{store}/../secret.csv')",
    "a folder whose name begins alike": "SELECT * FROM read_csv('{store}-of-another/secret.csv')",
    "a link that leads outside": "SELECT * FROM read_csv('{store}/link.csv')",
    "another database": "ATTACH '{store}/../other.duckdb'",
    "writing": "COPY (SELECT 1) TO '{store}/../out.csv'",
    "an extension": "LOAD httpfs",
    "the network": "SELECT * FROM read_csv('https://localhost/secret.csv')",
}


@pytest.mark.parametrize("sql", OUTSIDE.values(), ids=OUTSIDE)
def test_nothing_outside_the_store_is_reached(snapshot, beside, sql):
    with pytest.raises(duckdb.Error, match=r"(?i)disabled|installed|autoload"):
        snapshot.query(sql.format(store=beside / "store"))


SETTINGS = (
    "SET lock_configuration = false",
    "SET enable_external_access = true",
    "RESET enable_external_access",
    "SET allowed_directories = ['/']",
    "SET autoinstall_known_extensions = true",
    "SET temp_directory = '/tmp'",
    "SET threads = 1",
)


@pytest.mark.parametrize("sql", SETTINGS)
def test_the_configuration_is_locked(snapshot, sql):
    with pytest.raises(duckdb.InvalidInputException, match="the configuration has been locked"):
        snapshot.query(sql)


def test_the_collection_itself_is_read(snapshot):
    assert snapshot.frame("passages")["doc_id"].tolist() == ["d1"]
