"""Visitors of a dashboard who speak Streamlit's protocol over a websocket: twenty fit beside a server."""

import base64
import json
import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from streamlit.proto.Alert_pb2 import Alert
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

PROTOCOL = Subprotocol("streamlit")
PATIENCE = 120.0
"""Seconds within which a page has to be drawn."""
TAUS = range(1, 6)
BOARD = "leaderboard"
CLOSE = 1e-9
Boards = Mapping[int, Mapping[str, float]]
"""The mean of every run by tau."""


@dataclass
class Seen:
    """What visitors saw."""

    visits: int = 0
    runs: int = 0
    boards: int = 0
    wrong: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


class Visit:
    """An open tab: a session of the server from when it is opened until it is closed."""

    def __init__(self, socket: ClientConnection, address: str, seen: Seen) -> None:
        self._socket, self._address, self._seen = socket, address, seen
        self._states: dict[str, WidgetState] = {}
        self._pages: dict[str, str] = {}
        self._page = self._slider = ""
        self._board: dict[str, float] = {}

    def open(self, page: str) -> None:
        """Ask for a page by its address."""
        self._run(page_name=page)

    def turn(self, rng: random.Random) -> None:
        """Go to another page, or back to the leaderboard."""
        names = sorted(self._pages)
        page = rng.choice([BOARD, rng.choice(names)])
        self._run(page_hash=self._pages[page])

    def move(self, tau: int) -> dict[str, float]:
        """Move tau; returns the mean of each run that the leaderboard draws, empty on other pages."""
        state = self._states.setdefault(self._slider, WidgetState(id=self._slider))
        state.double_array_value.data[:] = [tau]
        self._run(page_hash=self._page)
        return self._board

    def _run(self, *, page_name: str = "", page_hash: str = "") -> None:
        """Let the server draw a page, and look at all that it sends."""
        message = BackMsg()
        asked = message.rerun_script
        asked.query_string, asked.page_name, asked.page_script_hash = self._address, page_name, page_hash
        asked.widget_states.widgets.extend(self._states.values())
        self._socket.send(message.SerializeToString())
        self._board = {}
        while True:
            said = self._socket.recv(timeout=PATIENCE)
            answer = ForwardMsg.FromString(said if isinstance(said, bytes) else said.encode())
            kind = answer.WhichOneof("type")
            if kind == "script_finished":
                # Another run follows one that was ended for it.
                if answer.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                    break
            elif kind == "new_session":
                self._page = answer.new_session.page_script_hash or self._page
            elif kind == "navigation":
                self._page = answer.navigation.page_script_hash
                self._pages = {one.url_pathname: one.page_script_hash for one in answer.navigation.app_pages}
            elif kind == "page_info_changed":
                self._address = answer.page_info_changed.query_string
            elif kind == "delta":
                self._look(answer.delta)
        self._seen.runs += 1

    def _look(self, delta: Delta) -> None:
        """Notice the slider, the board's chart, and what says that something went wrong."""
        element = delta.new_element
        kind = element.WhichOneof("type")
        if kind == "slider" and element.slider.id.endswith("-tau"):
            self._slider = element.slider.id
        elif kind == "bidi_component" and element.bidi_component.id.endswith("-leaderboard_chart"):
            self._board = _means(json.loads(json.loads(element.bidi_component.json)["figure"]))
        elif kind == "exception":
            self._seen.errors.append(f"{element.exception.type}: {element.exception.message}")
        elif kind == "alert" and element.alert.format == Alert.ERROR:
            self._seen.errors.append(element.alert.body)


def _means(figure: dict[str, list[dict[str, object]]]) -> dict[str, float]:
    """The height of each run's point; Plotly packs long lists."""
    (series, *_) = figure["data"]
    heights, runs = series["y"], series["customdata"]
    if isinstance(heights, dict):
        heights = np.frombuffer(base64.b64decode(heights["bdata"]), heights["dtype"]).tolist()
    assert isinstance(heights, list)
    assert isinstance(runs, list)
    return {str(run[0]): float(height) for run, height in zip(runs, heights, strict=True)}


@contextmanager
def visiting(port: int, address: str, page: str, seen: Seen) -> Iterator[Visit]:
    """A tab with a page.

    Parameters
    ----------
    address : its choices, as the address has them after the question mark
    """
    with connect(
        f"ws://127.0.0.1:{port}/_stcore/stream", subprotocols=[PROTOCOL], max_size=None, open_timeout=PATIENCE
    ) as socket:
        seen.visits += 1
        visit = Visit(socket, address, seen)
        visit.open(page)
        yield visit


def check(shown: Mapping[str, float], expected: Boards, tau: int, seen: Seen) -> None:
    """Compare a drawn board with the command line's; runs that came later are left out."""
    if shown:
        seen.boards += 1
        for run, mean in expected[tau].items():
            if abs(shown.get(run, float("nan")) - mean) > CLOSE or run not in shown:
                seen.wrong.append(f"{run} at tau {tau}: {shown.get(run)} where {mean} belongs")
