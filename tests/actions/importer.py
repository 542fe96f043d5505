"""A process that imports when it is told to."""

from multiprocessing.connection import Connection

from exam_core.actions.importing import import_workbench
from exam_core.store import Store


def import_when_told(connection: Connection) -> None:
    """Say "ready", and "done" after each import of a store's folder, a collection and a workbench file."""
    connection.send("ready")
    while True:
        folder, collection, file = connection.recv()
        import_workbench(Store(folder), collection, file)
        connection.send("done")
