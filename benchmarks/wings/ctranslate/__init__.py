"""CTranslate2 beside the other programs of `bench grader`."""
