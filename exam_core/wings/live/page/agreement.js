// How far modes agree with the reference and with the judgments

const COEFFICIENTS = {spearman: "Spearman", kendall: "Kendall", tau_ap: "tau-AP a", tau_ap_b: "tau-AP b"};

function agreementOf(mode, at = state) {
  return (agreedAt(mode, at) ?? []).map((number) => data.agreements[number]);
}

function kappaColumns() {
  const cuts = Object.keys(data.agreedAt).length ? data.cuts : [];
  return cuts.map((cut, place) => ({
    label: `Kappa, judged ≥ ${cut}`,
    text: (one) => shown(agreementOf(one.mode, one.at)[place]?.kappa),
  }));
}

function showHeadline(found) {
  const columns = [
    {label: "Grading mode", text: nameOf},
    ...(found.some((one) => one.board.tau !== null) ? [{label: "tau", text: (one) => plain(one.board.tau)}] : []),
    ...Object.entries(COEFFICIENTS).map(([name, label]) => ({
      label: `${label} [95% interval]`,
      text: (one) => (one.beside ? shown(one.beside[name]) + between(one.beside.ends[name]) : UNDEFINED),
    })),
    {label: "Runs", text: (one) => plain(one.beside?.n)},
    ...kappaColumns(),
  ];
  fill(byId("headline"), columns, found);
}

function showTaus() {
  byId("taus-section").hidden = !moves("tau", data.taus);
  const rows = data.taus.flatMap((_, tau) => boards({...state, tau}).map((one) => ({...one, at: {...state, tau}})));
  const columns = [
    {label: "Grading mode", text: nameOf},
    {label: "tau", text: (row) => plain(data.taus[row.at.tau])},
    ...Object.entries(COEFFICIENTS).map(([name, label]) => ({label, text: (row) => shown(row.beside?.[name])})),
    ...kappaColumns(),
  ];
  const withinScale = (row) => data.taus[row.at.tau] <= data.modes[row.mode].largestTau;
  rows.sort((a, b) => a.mode - b.mode || a.at.tau - b.at.tau);
  fill(byId("taus"), columns, rows.filter(withinScale));
}

function showAgreement() {
  byId("agreement").replaceChildren(...state.modes.flatMap((mode) => agreementOf(mode).flatMap((found, at) => [
    cutTable(mode, found), ...(at ? [] : [gradedTable(mode, found.graded)])])));
}

// A table that is scrolled where it is too wide
function boxed(label, caption, columns, rows) {
  const table = cell("table", cell("caption", caption));
  fill(table, columns, rows);
  return cell("div", table, {class: "wide", tabindex: 0, role: "region", "aria-label": label});
}

function cutTable(mode, found) {
  const name = `${data.modes[mode].name}: ${found.relevant}`;
  const kappa = `kappa ${shown(found.kappa)}${between(found.ends)}, ${found.n.toLocaleString("en")} passages`;
  return boxed(`Agreement of ${name}`, `${name}; ${kappa}`, [{label: "", text: (row) => row[0]},
    {label: "Judged relevant", text: (row) => plain(row[1][0])},
    {label: "Judged not relevant", text: (row) => plain(row[1][1])}],
  [["Label at least tau", found.table[0]], ["Label below tau", found.table[1]]]);
}

function gradedTable(mode, graded) {
  const {name} = data.modes[mode];
  const judged = [...new Set(Object.values(graded).flatMap(Object.keys))].sort((a, b) => a - b);
  const columns = [{label: "Label", text: (label) => label},
    ...judged.map((one) => ({label: `Judged ${one}`, text: (label) => countButton(mode, label, one, graded[label][one] ?? 0)}))];
  return boxed(`Labels of ${name}`, `${name}: passages by label and judgment`, columns,
    Object.keys(graded).sort((a, b) => b - a));
}
