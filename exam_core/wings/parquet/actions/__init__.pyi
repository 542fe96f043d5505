"""The verb of the wing."""

from exam_core.wings.parquet.actions.exporting_parquet import export_parquet as export_parquet
