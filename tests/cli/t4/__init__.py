"""Forms of reports of version 1.0, a file for each folder of ../shared/reports/t4/."""
