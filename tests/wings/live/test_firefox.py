"""The demo's live page in Firefox, from disk; without a Firefox on this machine these tests are skipped."""

import itertools
import json
import math
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest
from thoroughly import thoroughly
from websockets.sync.client import connect

from exam_core.analysis.choosing import choose
from exam_core.analysis.leaderboard import leaderboard
from exam_core.request import Request
from exam_core.store import Store

PAGE = Path(__file__).parents[3] / "docs" / "demo.html"
GROUNDS = {"light": "rgb(255, 255, 255)", "dark": "rgb(17, 22, 29)"}
SETTINGS = """
user_pref("layout.css.prefers-color-scheme.content-override", {scheme});
user_pref("services.settings.server", "data:,");
user_pref("app.update.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
"""
HOSTILE = """<script>window.ran = "a script"</script><img src="x" onerror="window.ran = 'an attribute'">"""
CHART = """
for (let round = 0; round < 600 && !document.querySelector("#chart .main-svg"); round += 1)
  await new Promise((later) => setTimeout(later, 50));
return [getComputedStyle(document.body).backgroundColor, document.querySelectorAll("#chart .main-svg").length > 0];
"""
HEADLINE = """
location.hash = arguments[0];
await new Promise((later) => setTimeout(later, 300));
return [...document.getElementById("headline").tBodies[0].rows[0].cells].map((cell) => cell.textContent);
"""
BLOCKED = """
const seen = new Set(), button = document.createElement("button");
document.addEventListener("securitypolicyviolation", (event) => seen.add(event.violatedDirective));
button.setAttribute("onclick", "window.ran = 'a click'");
document.body.append(button, Object.assign(new Image(), {src: "http://127.0.0.1:9/x.png"}));
button.click();
await fetch("http://127.0.0.1:9/").catch(() => null);
await new Promise((later) => setTimeout(later, 300));
return [window.ran ?? "nothing", [...seen].sort()];
"""


@contextmanager
def firefox(folder, scheme):
    """A Firefox, as what calls a command of WebDriver BiDi in it."""
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if program is None:
        pytest.skip("no Firefox on this machine: apt-get install firefox-esr")
    (folder / "user.js").write_text(SETTINGS.format(scheme=int(scheme == "light")))
    call = [program, "--headless", "--no-remote", "--profile", str(folder), "--remote-debugging-port=0"]
    with subprocess.Popen(call, stderr=subprocess.PIPE, text=True) as process:
        try:
            said = iter(process.stderr or ())
            address = next(line.split()[-1] for line in said if "BiDi listening on" in line)
            with connect(f"{address}/session", max_size=None) as socket:
                numbers = itertools.count()

                def command(method, **given):
                    number = next(numbers)
                    socket.send(json.dumps({"id": number, "method": method, "params": given}))
                    while (answer := json.loads(socket.recv(120))).get("id") != number:
                        pass
                    assert answer["type"] == "success", answer
                    return answer["result"]

                command("session.new", capabilities={})
                yield command
        finally:
            process.terminate()


def opened(command, page):
    """Open a page; gives what runs a script in it."""
    [tab] = command("browsingContext.getTree", maxDepth=0)["contexts"]
    command("browsingContext.navigate", context=tab["context"], url=page.as_uri(), wait="complete")

    def run(script, *given):
        function = (
            f"async function () {{ return JSON.stringify(await (async function () {{ {script} }})(...arguments)) }}"
        )
        found = command(
            "script.callFunction",
            functionDeclaration=function,
            arguments=[{"type": "string", "value": one} for one in given],
            target={"context": tab["context"]},
            awaitPromise=True,
        )
        return json.loads(found["result"]["value"])

    return run


@pytest.mark.parametrize("scheme", ["light", *thoroughly("dark")])
def test_the_page_draws_shows_the_numbers_of_the_analyses_and_lets_nothing_else_run(demo_store, tmp_path, scheme):
    demo = Store(demo_store).snapshot("demo")
    attacked = tmp_path / "attacked.html"
    attacked.write_text(PAGE.read_text(encoding="utf-8").replace("<main>", f"<main>{HOSTILE}"), encoding="utf-8")
    (tmp_path / "profile").mkdir()
    with firefox(tmp_path / "profile", scheme) as command:
        run = opened(command, attacked)
        assert run(CHART) == [GROUNDS[scheme], True]
        for measure, tau, rank in (("Cover@20", 2, 1), ("P@20", 4, 2), ("RR", 1, 1)):
            asked = Request(bank="open", measure=measure, tau=tau, label_rank=rank, reference="official")
            wanted = leaderboard(demo, choose(demo, asked)).correlation
            assert wanted is not None
            address = f"mode=open:lexical.pourpre-idf&measure={measure}&tau={tau}&label_rank={rank}&reference=official"
            _, shown, *coefficients = run(HEADLINE, address)
            assert shown == str(tau)
            # The demo's official list has ties, which leave tau-AP a undefined.
            first = [text.split(" ")[0] for text in coefficients[:4]]
            found = [math.nan if value == "-" else float(value) for value in first]
            expected = [wanted.spearman, wanted.kendall, wanted.tau_ap, wanted.tau_ap_b]
            assert found == pytest.approx(expected, abs=0.0005, nan_ok=True)
        assert run(BLOCKED) == ["nothing", ["connect-src", "img-src", "script-src-attr"]]
