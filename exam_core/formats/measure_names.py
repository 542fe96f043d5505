"""Names of measures: what tells a column of them from one of topics, runs or passages."""

from __future__ import annotations

import re

ALL = "all"
"""What tools write for the topic where a value is the mean over all of them."""
KNOWN = re.compile(
    r"(gm_|set_)?(map|F|P|recall|relative_P)|gm_bpref|R(prec|ndcg)(_mult.*)?|bpref|recip_rank|11pt_avg|ndcg(_rel)?|infAP"
    r"|binG|G|utility|yaap|(P|recall|relative_P|success|map_cut|ndcg_cut|iprec_at_recall|F|set_F|utility|ndcg|relstring"
    r"|unj|num)_[\w.,-]+|runid"
    r"|(\w*(nDCG|DCG|RBP|RR|ERR|AP)|P|R|Rprec|Recall|Success|Judged|Bpref|SDCG|INST|INSQ|BPM|Accuracy|STREC|NERR\d+"
    r"|P_IA|NRBP|SetP|SetR|SetF|SetAP|SetRelP|NumQ|NumRet|NumRel|IPrec|Cover|nCover)(\([^()]*\))?(@[\w.]+)?"
)
"""As trec_eval and ir_measures spell them."""
CODE = re.compile(r"(?=.*[A-Z]{3})[A-Z][A-Z0-9]*([_-][A-Z0-9]+)*|.*[A-Za-z].*@\d+")
"""What only measures are called, whoever made them: NUGGETS_FOUND, coverage@5."""


def names_measure(text: str) -> bool:
    """Whether a text is the name of a measure as evaluation tools spell it."""
    return KNOWN.fullmatch(text) is not None
