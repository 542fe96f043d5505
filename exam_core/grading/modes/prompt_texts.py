"""The words of every prompt, as the papers print them.

{question} is the exam question, {query} the query of a direct label, {passage} the passage. The authors' code says
"Query:" where the paper prints "Question:" for Thomas, HELM and Sun; we keep to the paper. Line breaks are as
printed; T5 reads any white space as one blank.
"""

from __future__ import annotations

from exam_core.grading.prompt import Prompt

SELF_RATING = """\
Can the question be answered based on the available context? choose one:

- 5: The answer is highly relevant, complete, and accurate.
- 4: The answer is mostly relevant and complete but may have minor gaps or inaccuracies.
- 3: The answer is partially relevant and complete, with noticeable gaps or inaccuracies.
- 2: The answer has limited relevance and completeness, with significant gaps or inaccuracies.
- 1: The answer is minimally relevant or complete, with substantial shortcomings.
- 0: The answer is not relevant or complete at all.

Question: {question} Context: {passage}"""
"""EXAM++, Table 2."""

NUGGET_RATING = """\
How well does the available context support the key fact? choose one:

- 5: The key fact is stated completely and accurately.
- 4: The key fact is mostly stated but with minor gaps or inaccuracies.
- 3: The key fact is partly stated, with noticeable gaps or inaccuracies.
- 2: Only a small part of the key fact is stated, or with significant inaccuracies.
- 1: The key fact is barely touched.
- 0: The key fact is not mentioned at all.

Key fact: {question} Context: {passage}"""
"""Our own words: no paper prints the prompt for nuggets."""

NUGGET_ASSIGNMENT = """\
Decide whether the passage captures the nugget, which is a fact that a good answer to the query holds. Respond with \
one of these labels, and nothing else:

- support: the passage fully captures the nugget.
- partial_support: the passage captures a part of the nugget.
- not_support: the passage does not capture the nugget.

Query: {query}
Nugget: {question}
Passage: {passage}

Label:"""
"""After Pradeep et al. 2024 (AutoNuggetizer), whose prompt assigns ten nuggets at once; our own words."""

CITATION_SUPPORT = """\
A text says the statement below, and cites the passage for it. Decide whether the passage supports the statement, by \
what the passage says alone. Respond with one of these labels, and nothing else:

- Full Support: the passage supports all that the statement says.
- Partial Support: the passage supports a part of what the statement says.
- No Support: the passage supports nothing of it.

Statement: {question}
Passage: {passage}

Label:"""
"""After Thakur et al. 2025 (support evaluation of TREC RAG 2024); our own words."""

QUESTION_ANSWERING = (
    "provide a complete and concise answer to the question based on the context. "
    "Question: {question} Context: {passage}"
)
"""EXAM++, Table 2."""

THOMAS = """\
Instruction: You are a search quality rater evaluating the relevance of passages. \
Given a query and a passages, you must provide a score on an integer scale of 0 to 2 with the following meanings:

2 = highly relevant, very helpful for this query

1 = relevant, may be partly helpful but might contain other irrelevant content

0 = not relevant, should never be shown for this query

Question: {query} Passage: {passage}

Answer:"""
"""EXAM++, appendix A."""

_FAGGIOLI_INSTRUCTION = (
    "Instruction: Indicate if the passage is relevant for the question. Respond with 'Yes' or 'No'.\n\n"
)
FAGGIOLI_B = _FAGGIOLI_INSTRUCTION + "Question: {query}\n\nPassage: {passage}\n\nAnswer:"
"""EXAM++, appendix A."""

HELM = """\
Instruction: Does the passage answer the query?

Respond with 'Yes' or 'No'. Question: {query} Passage: {passage}

Answer:"""
"""EXAM++, appendix A."""

_SUN_INSTRUCTION = (
    "Instruction: Given a passage and a query, predict whether the passage includes an answer to the query "
    'by producing either "Yes" or "No".\n\n'
)
_SUN_QUESTION = "Question: {query} Passage: {passage}\n\nAnswer:"
SUN = _SUN_INSTRUCTION + _SUN_QUESTION
"""EXAM++, appendix A."""

EXAMPLE = "Passage: {passage}\n\nQuestion: {query}\n\nAnswer: {answer}\n\n"
EXAMPLES = (
    (
        "Its 25 drops per ml, you guys are all wrong. If it is water, the standard was changed 15 - 20 years "
        "ago to make 20 drops = 1mL. The viscosity of most things is temperature dependent, so this would be "
        "at room temperature. Hope this helps.",
        "how many eye drops per ml",
        "Yes",
    ),
    (
        "RE: How many eyedrops are there in a 10 ml bottle of Cosopt? My Kaiser pharmacy insists that 2 "
        "bottles should last me 100 days but I run out way before that time when I am using 4 drops per day. "
        "In the past other pharmacies have given me 3 10-ml bottles for 100 days. E: How many eyedrops are "
        "there in a 10 ml bottle of Cosopt? My Kaiser pharmacy insists that 2 bottles should last me 100 days"
        " but I run out way before that time when I am using 4 drops per day.",
        "how many eye drops per ml",
        "No",
    ),
    (
        "You can transfer money to your checking account from other Wells Fargo. accounts through Wells Fargo"
        " Mobile Banking with the mobile app, online, at any. Wells Fargo ATM, or at a Wells Fargo branch. 1 "
        "Money in — deposits.",
        "can you open a wells fargo account online",
        "No",
    ),
    (
        "You can open a Wells Fargo banking account from your home or even online. It is really easy to do, "
        "provided you have all of the appropriate documentation. Wells Fargo has so many bank account options"
        " that you will be sure to find one that works for you. They offer free checking accounts with free "
        "online banking.",
        "can you open a wells fargo account online",
        "Yes",
    ),
)
"""Passage, query and answer of each, from TREC DL; EXAM++, appendix A."""

FAGGIOLI_B_FEW = _FAGGIOLI_INSTRUCTION + "{examples}Question: {query}\nPassage: {passage}\n\nAnswer:"
"""EXAM++, appendix A; the last question stands before its passage, unlike those of the examples."""

SUN_FEW = _SUN_INSTRUCTION + "{examples}" + _SUN_QUESTION
"""EXAM++, appendix A says only that these are the examples of FaggioliB_few."""

EXTRACTION = "{passage}"
"""Models tuned on SQuAD2 take question and passage as a pair, without instruction."""


def verification_prompt(question: str, gold_answer: str, answer: str) -> Prompt:
    """Asks whether an answer is as good as the gold answer; only the answer may be cut. EXAM++, Table 2."""
    return Prompt(
        f'For the question "{question}" the correct answer is "{gold_answer}". Is "',
        answer,
        '" an equally correct response to this question? Answer yes or no.',
        question,
    )
