"""How the HTML report looks: on paper, on a telephone, in light and in dark."""

STYLE = """
:root { color-scheme: light dark; --ink: #1b2430; --ground: #fff; --line: #c9d0d9; --quiet: #566273; }
* { box-sizing: border-box; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 75rem; margin: auto; padding: 1rem;
  color: var(--ink); background: var(--ground); overflow-wrap: anywhere; }
h1 { font-size: 1.7rem; line-height: 1.2; }
dl.origin { display: grid; grid-template-columns: minmax(5rem, max-content) minmax(0, 1fr); gap: 0.2rem 1rem; }
dl.origin dt { color: var(--quiet); }
dd { margin: 0; min-width: 0; }
section, .chart { min-width: 0; max-width: 100%; }
.wide { overflow-x: auto; max-width: 100%;
  background: linear-gradient(to left, var(--ground) 1rem, transparent 2rem) right / 100% 100% no-repeat local,
    linear-gradient(to left, var(--line), transparent) right / 0.7rem 100% no-repeat scroll; }
table { border-collapse: collapse; font-size: 0.9rem; margin: 1rem 0; overflow-wrap: normal; }
caption { text-align: left; font-weight: 600; padding: 0.3rem 0; }
th, td { padding: 0.2rem 0.7rem; border-bottom: 1px solid var(--line); text-align: left; }
td { font-variant-numeric: tabular-nums; }
td[dir] { min-width: 7rem; overflow-wrap: anywhere; }
details { font-size: 0.9rem; }
details dt { font-weight: 600; }
@media (max-width: 40rem) {
  body { padding: 0.6rem; }
  dl.origin { grid-template-columns: minmax(0, 1fr); gap: 0; }
  th, td { padding: 0.2rem 0.4rem; }
}
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8edf3; --ground: #11161d; --line: #3a4450; --quiet: #a9b4c2; }
}
@media print { .wide { overflow: visible; } details { display: none; } section { break-inside: avoid; } }
"""
"""A shadow at a table's right edge says that there is more of it. Charts take their colours from --ink and --line."""
