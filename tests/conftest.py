"""What every test may use: the data beside the project, small models, and settings of the property tests.

torch is imported only by the tests that use a model.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from exam_core.actions.demo import build_demo
from exam_core.store import Store

if TYPE_CHECKING:
    from transformers import T5ForConditionalGeneration, T5Tokenizer

# No database: what failed in one run does not steer the next.
settings.register_profile("examboard", deadline=None, max_examples=40, database=None)
settings.load_profile("examboard")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data that is no part of the project; without it the test is skipped."""
    beside = Path(__file__).resolve().parents[2] / "shared"
    folder = Path(os.environ.get("EXAMBOARD_SHARED", beside))
    if not (folder / "appendix").is_dir():
        pytest.skip(f"no real data at {folder}: name its folder in EXAMBOARD_SHARED")
    return folder


@pytest.fixture(scope="session")
def demo_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the embedded collections; only for tests that read."""
    path = tmp_path_factory.mktemp("store")
    build_demo(Store(path))
    return path


@pytest.fixture(scope="session")
def tiny_tokenizer() -> T5Tokenizer:
    """A tokenizer of T5's kind with a small vocabulary."""
    from grading import tiny

    return tiny.tokenizer()


@pytest.fixture(scope="session")
def trained() -> T5ForConditionalGeneration:
    """A small trained T5 whose answers end by themselves; read-only."""
    from grading import tiny

    return tiny.trained_t5()


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory, trained: T5ForConditionalGeneration) -> Path:
    """The trained T5 with its tokenizer, as from_pretrained loads it."""
    from grading import tiny

    return tiny.save(tmp_path_factory.mktemp("models") / "tiny-flan-t5", trained)


@pytest.fixture(scope="session")
def extractive_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random span reader with its tokenizer, as from_pretrained loads it."""
    from grading import tiny

    return tiny.save(tmp_path_factory.mktemp("models") / "tiny-squad2", tiny.extractive_t5())
