"""A process that imports when it is told to, so that a test can kill it or race it.

It says "ready" once its libraries are loaded. Each line it is given then is a JSON list of a store's
folder, a collection and a workbench file; after each import it says "done".
"""

import json
import sys
from pathlib import Path

from exam_core.actions.importing import import_workbench
from exam_core.store import Store

print("ready", flush=True)
for line in sys.stdin:
    folder, collection, file = json.loads(line)
    import_workbench(Store(folder), collection, Path(file))
    print("done", flush=True)
