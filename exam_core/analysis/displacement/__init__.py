"""Why a run stands elsewhere than the reference has it."""
