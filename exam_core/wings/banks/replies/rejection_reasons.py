"""Why something in a reply becomes no question."""

from __future__ import annotations

CUT = "cut off"
UNCLEAR = "unclear quotes"
BLANK = "blank"
REPEATED = "repeated"
LONG = "too long"
NO_QUESTION = "no question"
UNREADABLE = "unreadable characters"
THOUGHTS = "thoughts without an end"
BEYOND = "beyond the longest reply"
DEEP = "nested too deeply"
NOTHING = "no list of questions"
REASONS = {
    CUT: "The reply ends within it, so it may be half of a question.",
    UNCLEAR: "Quotes within it look like those around it, so its end is unknown.",
    BLANK: "There is nothing in it.",
    REPEATED: "The reply has the same words before.",
    LONG: "It has more than 1,000 characters.",
    NO_QUESTION: "An item of a list, or a string, that asks nothing: a heading, a single word.",
    UNREADABLE: "It holds characters that no text has, such as NUL or half of a pair.",
    THOUGHTS: "The model began to think and never came to an answer.",
    BEYOND: "Characters of a reply after the first 20,000 are not read.",
    DEEP: "More than 40 brackets within each other.",
    NOTHING: "The reply holds neither strings in brackets, nor a list, nor lines that ask.",
}
"""What each means, for people."""
