"""Tables of the documents, made from the figures in `benchmarks/`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from exam_core.numbers.true_means import ORDERED


def coverage_table(answer: dict[str, Any]) -> str:
    """The answer of `examboard bench coverage` for simulated collections as a Markdown table, a row for a statistic."""
    rows = [row for row in answer["rows"] if row["population"] == "simulated"]
    sizes = sorted({row["queries"] for row in rows})
    covered: dict[tuple[str, str, str], dict[int, dict[str, Any]]] = {}
    for row in rows:
        key = (row["statistic"], row["measure"] or "", row["reference"] or "")
        covered.setdefault(key, {})[row["queries"]] = row
    names = [f"{size} queries" for size in sizes]
    lines = [_line("interval of", "measure", "reference", *names), _line(*["---"] * (3 + len(sizes)))]
    lines += [_line(*key, *(_covered(found[size]) for size in sizes)) for key, found in covered.items()]
    return "\n".join(lines)


def populations_table(answer: dict[str, Any]) -> str:
    """The same for the other populations: a row for each, a column for each coefficient."""
    return _by_coefficient([row for row in answer["rows"] if row["population"] != "simulated"], _covered)


def widths_table(answer: dict[str, Any]) -> str:
    """How wide the same intervals of correlations are, of all populations but halves, and how wide the bootstrap's."""
    known = [row for row in answer["rows"] if row["statistic"] in ORDERED and "half" not in row["population"]]
    return _by_coefficient(known, _width)


def errors_table(answer: dict[str, Any]) -> str:
    """The answer of `examboard bench errors`: on how many boards anything is called different, and what is found."""
    names = [(row["statistic"], row["reference"]) for row in answer["errors"]]
    names = list(dict.fromkeys(names))
    heads = [f"{statistic}, {reference}" if reference else statistic for statistic, reference in names]
    lines = [_line("boards", *heads), _line(*["---"] * (1 + len(names)))]
    for population in dict.fromkeys(row["population"] for row in answer["errors"]):
        mine = {
            (row["statistic"], row["reference"]): row for row in answer["errors"] if row["population"] == population
        }
        lines.append(_line(population, *(f"{mine[name]['error']:.1%}, {mine[name]['power']:.0%}" for name in names)))
    return "\n".join(lines)


def ranks_table(answer: dict[str, Any]) -> str:
    """The intervals of ranks of the same answer: how often they hold, and how many places wide they are."""
    names = list(dict.fromkeys(row["statistic"] for row in answer["ranks"]))
    found: dict[tuple[str, str, str], list[str]] = {}
    for row in answer["ranks"]:
        key = (row["population"], str(row["runs"]), str(row["queries"]))
        found.setdefault(key, []).append(f"{_covered(row)}, {row['mean_width']:.1f}")
    lines = [_line("boards", "runs", "queries", *names), _line(*["---"] * (3 + len(names)))]
    return "\n".join([*lines, *(_line(*key, *cells) for key, cells in found.items())])


def _by_coefficient(rows: Sequence[dict[str, Any]], cell: Callable[[dict[str, Any]], str]) -> str:
    names = list(dict.fromkeys(row["statistic"] for row in rows))
    found: dict[tuple[str, str, str, int], dict[str, dict[str, Any]]] = {}
    for row in rows:
        key = (row["population"], row["measure"] or "", row["reference"], row["queries"])
        found.setdefault(key, {})[row["statistic"]] = row
    lines = [_line("population", "measure", "reference", "queries", *names), _line(*["---"] * (4 + len(names)))]
    lines += [_line(*map(str, key), *(cell(of[name]) for name in names)) for key, of in found.items()]
    return "\n".join(lines)


def _covered(row: dict[str, Any]) -> str:
    """How often an interval held, give or take a standard error, and how often the bootstrap's did."""
    shown = "-" if row["coverage"] is None else f"{row['coverage']:.1%}"
    if row["stderr"] is not None:
        shown += f" ± {row['stderr']:.1%}"
    return shown + (f" ({row['bootstrap']:.0%})" if row.get("bootstrap") is not None else "")


def _width(row: dict[str, Any]) -> str:
    """The mean width of an interval, and of the bootstrap's."""
    shown = "-" if row["mean_width"] is None else f"{row['mean_width']:.2f}"
    return f"{shown} ({row['bootstrap_width']:.2f})"


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |".replace("|  |", "| |")


SECONDS = (
    ("simulating the collection", "simulate_s"),
    ("opening it and building the gradebook", "open_and_gradebook_s"),
    ("**whole job, all five taus**", "all_taus_s"),
    ("whole job, one tau", "one_tau_s"),
    ("one question off: rebuilt, all five taus", "question_off_s"),
    ("every coefficient of all leaderboards", "all_coefficients_s"),
    ("2,000 bootstrap samples of all leaderboards and correlations", "bootstrap_2000_s"),
    ("pytrec_eval, all five taus", "pytrec_eval_all_taus_s"),
    ("pytrec_eval, one tau", "pytrec_eval_one_tau_s"),
    ("ir_measures, all five taus", "ir_measures_all_taus_s"),
)
RATIOS = (
    ("pytrec_eval's time / ours, all five taus", "times_faster_than_pytrec_eval"),
    ("ir_measures' time / ours, all five taus", "times_faster_than_ir_measures"),
    ("our five taus / pytrec_eval's one", "all_taus_to_pytrec_eval_one_tau"),
    ("our question off / pytrec_eval's one tau", "question_off_to_pytrec_eval_one_tau"),
    ("our memory / pytrec_eval's", "memory_to_pytrec_eval"),
)
MEMORY = (
    ("gradebook and sweep", "memory_mib"),
    ("reading the gradebook, with what DuckDB keeps", "reading_memory_mib"),
    ("pytrec_eval", "pytrec_eval_memory_mib"),
)


def performance_table(answers: Sequence[dict[str, Any]]) -> str:
    """Answers of `examboard bench analysis` as a Markdown table: a column for each."""
    lines = [
        _line("", *(f"{answer['grades']:,} grades, {answer['queries']:,} queries" for answer in answers)),
        _line(*["---"] * (1 + len(answers))),
    ]
    for rows, written in ((SECONDS, _seconds), (MEMORY, _mebibytes), (RATIOS, _ratio)):
        lines += [_line(name, *(written(answer.get(key)) for answer in answers)) for name, key in rows]
    return "\n".join(lines)


def texts_table(answer: dict[str, Any]) -> str:
    """The answer of `examboard bench texts` as a Markdown table: a row for each measure."""
    lines = [
        _line(f"{answer['topics']} topics, {answer['systems']} systems", "time", "processor time"),
        _line("---", "---", "---"),
    ]
    lines += [
        _line(f"`{name}`", _seconds(seconds), _seconds(answer["processor_s"][name]))
        for name, seconds in answer["seconds"].items()
    ]
    lines.append(_line(f"{answer['shuffles']:,} shuffles of vital and okay", _seconds(answer["variability_s"]), "-"))
    return "\n".join(lines)


BROWSER = (
    ("from the key to the repainted chart, median", "painted_ms"),
    ("the same, 90th percentile", "painted_90th_percentile_ms"),
    ("of that until the last message is seen, median", "server_ms"),
    ("the server alone, median", "server_alone_ms"),
)


def dashboard_table(answers: Sequence[dict[str, Any]]) -> str:
    """Answers of `examboard bench dashboard` as a Markdown table: two columns for each, ours and Streamlit's own."""
    sides = [(answer, side) for answer in answers for side in ("examboard", "streamlit_as_shipped")]
    lines = [
        _line("", *(f"{answer['collection']}, {side.replace('_', ' ')}" for answer, side in sides)),
        _line(*["---"] * (1 + len(sides))),
    ]
    lines += [_line(name, *(f"{answer[side][key]:.0f} ms" for answer, side in sides)) for name, key in BROWSER]
    return "\n".join(lines)


GRADER_RATIOS = (
    ("our rate / generate's, batch 1 (the authors' default)", "times_batch_1"),
    ("our rate / generate's, batch 10", "times_batch_10"),
    ("our rate / CTranslate2's", "times_ctranslate2"),
    ("our rate / the encoder's alone", "share_of_encoder"),
)


def grader_table(answers: Sequence[dict[str, Any]]) -> str:
    """Answers of `examboard bench grader` as a Markdown table: a column for each model and length of answer."""
    columns = [(answer["config"], length) for answer in answers for length in answer["answers"]]
    programs = list(dict.fromkeys(name for _, length in columns for name in length["prompts_per_s"]))
    lines = [
        _line("", *(f"{config}, {length['answer_tokens']} tokens" for config, length in columns)),
        _line(*["---"] * (1 + len(columns))),
    ]
    for name in programs:
        rates = (length["prompts_per_s"].get(name) for _, length in columns)
        lines.append(_line(f"{name}, prompts/s", *("-" if rate is None else f"{rate:,.2f}" for rate in rates)))
    for name, key in GRADER_RATIOS:
        goals = {answer["goals"].get(key) for answer in answers} - {None}
        wanted = f" (goal {max(goals)})" if goals else ""
        lines.append(_line(name + wanted, *(_ratio(length["ratios"].get(key)) for _, length in columns)))
    for name in programs:
        held = (length["memory_mib"].get(name) for _, length in columns)
        lines.append(_line(f"{name}, memory", *map(_mebibytes, held)))
    same = (
        f"{length['answers_as_generate']} of {answer['prompts']}" for answer in answers for length in answer["answers"]
    )
    lines.append(_line("our answers that are generate's, batch 1", *same))
    return "\n".join(lines)


def _seconds(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.1f} s" if value >= 1 else f"{value * 1000:,.1f} ms"


def _mebibytes(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f} MiB"


def _ratio(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}" if value >= 10 else f"{value:.2f}"


def gullibility_table(answer: dict[str, Any]) -> str:
    """The answer of `examboard bench gullibility` as a Markdown table: a row for a setting, a column for a bias."""
    biases = sorted({row["bias"] for row in answer["rows"]})
    found: dict[tuple[int, float, float], dict[float, str]] = {}
    for row in answer["rows"]:
        of_setting = found.setdefault((row["queries"], row["alike"], row["accidents"]), {})
        of_setting[row["bias"]] = f"{row['rises']:.1%} ({row['net']:.1%})"
    lines = [
        _line("queries", "correlation within", "by accident", *(f"bias {bias:g}" for bias in biases)),
        _line(*["---"] * (3 + len(biases))),
    ]
    lines += [
        _line(str(queries), f"{alike:g}", f"{accidents:g}", *(of[bias] for bias in biases))
        for (queries, alike, accidents), of in found.items()
    ]
    return "\n".join(lines)


def circularity_table(answer: dict[str, Any]) -> str:
    """The answer of `examboard bench circularity` as a Markdown table: a row for each bias, and those of ranks."""
    sizes = sorted({row["queries"] for row in answer["rows"]})
    found: dict[tuple[str, str, float], dict[int, dict[str, Any]]] = {}
    for row in answer["rows"]:
        found.setdefault((row["displacement"], row["reference"], row["bias"]), {})[row["queries"]] = row
    names = [f"{size} queries" for size in sizes]
    lines = [_line("displacement of", "reference", "bias", *names), _line(*["---"] * (3 + len(sizes)))]
    lines += [_line(*map(str, key), *(_covered(of[size]) for size in sizes)) for key, of in sorted(found.items())]
    return "\n".join(lines)
