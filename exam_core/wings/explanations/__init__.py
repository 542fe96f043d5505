"""Why a run stands where it stands: query by query, with its questions and passages."""
