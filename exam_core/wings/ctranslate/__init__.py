"""CTranslate2: T5 that is faster on a processor, and another grader."""
