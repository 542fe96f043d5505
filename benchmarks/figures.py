"""The page of figures, from the JSON files beside this module: `python -m benchmarks.figures > docs/figures.md`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from statistics import fmean
from typing import Any

from exam_core.numbers.true_means import ORDERED

HERE = Path(__file__).parent
FOR = (
    "*For whoever asks how fast and how exact Examboard is. "
    "Commands, commits and all that was measured: [benchmarks](../benchmarks/README.md).*"
)
HEAD = f"""# Figures

{FOR}

Machines had two cores, shared with others, and no GPU unless it is said. Seconds depend on the machine; ratios within
one run are what to compare.
"""


def read(name: str) -> Any:
    """The figures of a benchmark."""
    return json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))


def table(*rows: Iterable[str]) -> str:
    """A Markdown table, whose first row is its head."""
    head, *others = [list(row) for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *others)) + "\n"


def span(values: Iterable[float]) -> str:
    """The smallest and the largest share."""
    found = list(values)
    return f"{min(found):.1%} to {max(found):.1%}"


def milliseconds(seconds: float) -> str:
    return f"{seconds:,.1f} s" if seconds >= 1 else f"{seconds * 1000:,.0f} ms"


def leaderboards() -> str:
    """How long leaderboards take, beside other tools."""
    scales = [scale for scale in (1, 10, 100, 1000) if (HERE / f"analysis-{scale}.json").is_file()]
    sizes = [read(f"analysis-{scale}") for scale in scales]
    rows = [
        ("opening the collection", "open_and_gradebook_s"),
        ("opening it again", "opened_again_s"),
        ("all measures, five taus", "all_taus_s"),
        ("the same with a question off", "question_off_s"),
        ("2,000 bootstrap samples", "bootstrap_2000_s"),
        ("pytrec_eval, five taus", "pytrec_eval_all_taus_s"),
        ("ir_measures, five taus", "ir_measures_all_taus_s"),
    ]
    memory = [
        ("memory added by the first opening", "reading_memory_mib"),
        ("memory added by all measures", "memory_mib"),
    ]
    said = table(
        ["", *(f"{size['grades']:,} grades" for size in sizes)],
        *([name, *(milliseconds(size[key]) if size.get(key) else "-" for size in sizes)] for name, key in rows),
        *([name, *(f"{size[key]:,.0f} MiB" if size.get(key) else "-" for size in sizes)] for name, key in memory),
    )
    first = sizes[0]
    return f"""
## Leaderboards

Simulated collections of the size of TREC CAR Y3 (22 runs, 721 queries), and of ten and more times that many
queries. Memory is the most that is resident, mapped pages included. All measures are six, with standard errors,
correlations and kappa; pytrec_eval computes its five from the same labels.

{said}
At the first size, pytrec_eval takes {first["times_faster_than_pytrec_eval"]:.0f} times as long, ir_measures
{first["times_faster_than_ir_measures"]:,.0f} times. The largest difference to
pytrec_eval is below 1e-15. Memory is {first["memory_to_pytrec_eval"]:.2f} of pytrec_eval's.
{growth()}"""


def growth() -> str:
    """How processor time grows with grades."""
    found = read("growth")
    said = table(
        ["grades", *(f"{size['grades']:,}" for size in found["sizes"])],
        ["processor time, our own", *(milliseconds(size["user_s"]) for size in found["sizes"])],
        ["the system's, for memory", *(milliseconds(size["system_s"]) for size in found["sizes"])],
    )
    return f"""
The same six measures at five sizes of one collection, in one thread, from grades to correlations and kappa:

{said}
Our own time grows with the power {found["exponent"]:.2f} of the grades:

![Processor time against grades, both in logarithms: nearly a straight line](pictures/growth.svg)
"""


def texts() -> str:
    """How long measures of texts take, and a corpus."""
    measured, corpus = read("texts"), read("corpus")
    few, many = corpus["imports"]
    words = table(
        ["measure", "time"],
        *([f"`{name}`", milliseconds(measured["seconds"][name])] for name in ("POURPRE", "ROUGE1", "ROUGE2", "ROUGEL")),
    )
    return f"""
## Texts

Answers of {measured["systems"]} systems to {measured["topics"]} topics, compared with their nuggets on one core:

{words}
From a corpus of {corpus["passages"]:,} passages ({corpus["mib"]:,} MiB), the texts of {few["named"]:,} come in after
{few["seconds"]:.0f} s with {few["mib"]} MiB of memory. {many["named"]:,} take
{many["seconds"]:.0f} s and {many["mib"]} MiB.
"""


def browser() -> str:
    """How long a moved slider and a first visit take."""
    dl19, car, visits = read("dashboard-dl19"), read("dashboard-car"), read("visits-dl19")
    rows = [
        ("from the key to the repainted chart, median", "painted_ms"),
        ("the same, 90th percentile", "painted_90th_percentile_ms"),
        ("the server alone, median", "server_alone_ms"),
    ]
    sides = [(answer, side) for answer in (dl19, car) for side in ("examboard", "streamlit_as_shipped")]
    names = [f"{name}, {side}" for name in ("DL19", "CAR's size") for side in ("Examboard", "Streamlit as shipped")]
    moves = table(["tau is moved", *names], *([row, *(f"{a[s][key]:.0f} ms" for a, s in sides)] for row, key in rows))
    ours, empty, users = visits["examboard"], visits["empty_page"], dl19["users"]
    return f"""
## In the browser

Chromium on the server's two cores:

{moves}
A first visit shows its chart after {ours["first_visit_s"]:.2f} s; an empty page of Streamlit shows its title after
{empty["first_visit_s"]:.2f} s. To turn a page takes {ours["turn_s"]:.2f} s and
{empty["turn_s"]:.2f} s. {users["users"]} browsers at once for a minute: {users["moves"]} moves, {len(users["wrong"])}
wrong numbers, {users["errors"]} errors.
{live_page()}"""


def live_page() -> str:
    """How long a live page takes to make and to open."""
    page = read("site-dl19")
    counts = ("grading_modes", "measures", "taus", "label_ranks", "references")
    offered = ", ".join(f"{page[kind]} {kind.replace('_', ' ')}" for kind in counts)
    chart, tau = (f"{page[key]:.0f} ms" for key in ("first_chart_ms", "tau_ms"))
    return f"""
A [live page](how-to/share-a-live-page.md) of DL19 ({offered})
has {page["size_mb"]:.1f} MB and is made in {page["make_s"]:.0f} s. Opened from disk, it shows its chart after
{chart}; a move of tau takes {tau}.
"""


def graders() -> str:
    """How many prompts a second graders answer."""
    processor, card = read("grader-cpu-base"), read("h100")
    programs = ("ours", "generate, batch 10", "generate, batch 1", "CTranslate2")
    extra = ("ours, tf32", "ours, bf16")
    columns = [(answer, length) for answer in (processor, card) for length in answer["answers"]]
    heads = [
        f"two cores, base, {length['answer_tokens']} tokens"
        if answer is processor
        else f"H100, large, {length['prompt_tokens']} and {length['answer_tokens']}"
        for answer, length in columns
    ]

    def rate(length: dict[str, Any], program: str) -> str:
        found = length["prompts_per_s"].get(program)
        return "-" if found is None else f"{found:,.0f}" if found >= 10 else f"{found:.1f}"

    rates = table(
        ["prompts per second", *heads],
        *([program, *(rate(length, program) for _, length in columns)] for program in (*programs, *extra)),
    )
    return f"""
## Grader

FLAN-T5 in fp32 where nothing else is said; 4 tokens are a rating, 12 an answer in words, and on the card prompts have
208 or 512. `generate` is that of transformers, with five beams; batch 1 is how the papers' authors call it.

{rates}
Every answer of `generate` that was compared is ours, token for token. On a small model that is rich in near ties, bf16
changes 4% of the answers and tf32 0.2%.
"""


def reviews() -> str:
    """What review campaigns find, and agreement by how queues are drawn."""
    rows = [row for row in read("reviews-dl19")["rows"] if row["twice"] and row["sampler"] == "gain"]
    shown = [row for row in rows if (row["measure"], row["tau"], row["label_rank"]) == ("P@20", 4, 1)]
    said = table(
        [
            "answers that are wrong",
            "reviews",
            "error",
            "half-width",
            "beside humans alone",
            "intervals that hold",
            "Kendall of the order",
        ],
        *(
            [
                f"{row['wrong']:.0%}",
                f"{row['n']}",
                *(f"{row[key]:.3f}" for key in ("error", "half_width")),
                f"{row['ratio']:.2f}",
                f"{row['holds']:.1%}",
                f"{row['kendall']:.2f}",
            ]
            for row in shown
            if row["wrong"] in (0, 0.2)
        ),
    )
    return f"""
## Reviews

Simulated campaigns on DL19, in which NIST's judgments answer and a share of the answers is wrong. The corrected
leaderboard is that of P@20 at tau 4; by itself, the grader is 0.19 too high.

{said}
Over all boards, intervals held the truth in {span(row["holds"] for row in rows)} of the campaigns, those of all runs
at once in {span(row["holds_all"] for row in rows)}. Agreement has to be weighed by how
items were drawn: of a queue drawn where graders and judges disagree, kappa as it is was -0.225 in place of 0.406, and
0.394 weighed.
"""


def intervals() -> str:
    """How often 95% intervals hold, of everything that has some."""
    coverage = [row for row in read("coverage")["rows"] if row["statistic"] in ORDERED and row["coverage"] is not None]
    coverage = [row for row in coverage if "half" not in row["population"] and "without" not in row["population"]]
    coverage = [row for row in coverage if row["reference"] != "list of the same queries"]
    ranks = [row["coverage"] for row in read("errors")["ranks"] if row["statistic"] == "rank of the best run"]
    displaced = [row["coverage"] for row in read("circularity")["rows"]]
    gullible = [row["rises"] for row in read("gullibility")["rows"] if row["bias"] + row["accidents"] > 0]
    held = {name: [row["coverage"] for row in coverage if row["statistic"] == name] for name in ORDERED}
    held = {name: shares for name, shares in held.items() if shares}
    held |= {"rank of the best run": ranks, "displacement": displaced, "gullibility": gullible}
    rows = [[name.replace("_", "-"), f"{fmean(shares):.1%}", span(shares)] for name, shares in held.items()]
    return f"""
## Intervals

How often intervals of 95% hold the truth in simulated settings, where it is known:

{table(["interval of", "on average", "in a setting"], *rows)}
A reference that was made of the same queries as the leaderboard is left out: correlations with it are another
question. [Intervals](explanation/intervals.md) says which settings are hard.
"""


def reliability() -> str:
    """What faults, damage and crowds did to a store."""
    found, fuzz = read("reliability"), read("fuzz")
    faults, power, bits, soak, raylets = (
        found[name] for name in ("faults", "power_losses", "flipped_bits", "soak", "raylets")
    )
    said = table(
        ["tried", "how many", "went wrong"],
        [
            "a call below the store fails, or the process is killed there",
            f"{faults['faults']:,}",
            f"{faults['violations']}",
        ],
        ["states after a power loss", f"{power['states']:,}", f"{power['violations']}"],
        ["flipped bits that become other data", f"{bits['flips']:,}", f"{bits['other_data']}"],
        ["damaged files", f"{fuzz['files']['inputs']:,}", f"{fuzz['files']['findings']}"],
        ["damaged texts and bytes in memory", f"{fuzz['memory']['inputs']:,}", f"{fuzz['memory']['findings']}"],
        [
            "machines of a Ray cluster killed under a job",
            f"{raylets['killed']}",
            f"{raylets['differ_from_one_process'] + raylets['asked_twice_otherwise']}",
        ],
        [
            "pages of 20 sessions in half an hour, beside writers",
            f"{soak['pages']:,}",
            f"{soak['errors'] + soak['wrong']}",
        ],
    )
    return f"""
## A store that fails

{said}
[What a store promises](explanation/reliability.md) says what each means.
"""


def figures() -> str:
    """The page."""
    parts = (leaderboards, browser, graders, texts, intervals, reviews, reliability)
    return HEAD + "".join(part() for part in parts)


if __name__ == "__main__":
    print(figures(), end="")
