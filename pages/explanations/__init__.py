"""Why a run stands where it stands."""
