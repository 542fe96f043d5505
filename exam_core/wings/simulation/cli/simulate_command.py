"""`examboard simulate`."""

from __future__ import annotations

from exam_core.cli.common import Collection, open_store, print_imported, progress_bar
from exam_core.cli.declared_options import takes_declared
from exam_core.wings.simulation.settings import CollectionSizes, Settings


@takes_declared()
def simulate(collection: Collection, sizes: CollectionSizes) -> None:
    """A collection of any size whose grades, judgments and runs are drawn from a model; by default of CAR Y3's size.

    Example: examboard simulate car-size --seed 1
    """
    from exam_core.wings.simulation.actions import simulate as store_simulated

    with progress_bar("Simulating") as progress:
        done = store_simulated(open_store(), collection, Settings(**vars(sizes)), progress=progress)
    print_imported(done)
