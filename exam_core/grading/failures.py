"""Why a server gave no answer to a prompt, and what helps."""

from __future__ import annotations

from collections.abc import Mapping

BUDGET = "budget"
"""Of a prompt that was not asked, because it could cost more than is left."""
LATER = "later"
"""Of a prompt that was not asked yet: it lies in a batch, or waits until others have told what they cost."""
REASONS = {
    "length": (
        "the answer reached the length limit before the model wrote anything but reasoning",
        "--max-output-tokens 4096, or --reasoning-effort low",
    ),
    "filter": ("the server's content filter stopped it", "another server or model; these grades stay missing"),
    "context": ("the prompt is longer than the model reads", "--max-tokens N cuts passages to fit"),
    "refusal": ("the model refused to answer", "another model or grading mode; these grades stay missing"),
    "empty": (
        "the model wrote no answer, perhaps only reasoning",
        "another model, or an option of the server that turns reasoning off "
        '(--extra \'{"chat_template_kwargs": {"enable_thinking": false}}\' with vLLM)',
    ),
    "error": ("the server refused the prompt or failed", "run the command again to ask them again"),
}
"""What each means, and what to do."""


def missing_sentences(counts: Mapping[str, int], examples: Mapping[str, str]) -> list[str]:
    """How many prompts got no answer for which reason, and what helps; the most frequent first.

    `examples` have the words of one of them, by reason.
    """
    sentences = []
    for reason, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        means, helps = REASONS.get(reason, (reason, REASONS["error"][1]))
        example = f" ({examples[reason]})" if examples.get(reason) else ""
        sentences.append(f"{count:,} × {reason}: {means}{example}. What helps: {helps}.")
    return sentences
