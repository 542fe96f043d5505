// How far modes agree with the reference and with the judgments

const COEFFICIENTS = {spearman: "Spearman", kendall: "Kendall", tau_ap: "tau-AP"};

function agreementOf(mode, tau = state.tau) {
  const listed = data.agreedAt[[mode, tau, state.labelRank].join()];
  return (listed ?? []).map((number) => data.agreements[number]);
}

function showHeadline(found) {
  const columns = [
    {label: "Grading mode", text: nameOf},
    {label: "tau", text: (one) => plain(one.board.tau)},
    ...Object.entries(COEFFICIENTS).map(([name, label]) => ({
      label: `${label} [95% interval]`,
      text: (one) => (one.beside ? shown(one.beside[name]) + between(one.beside.ends[name]) : UNDEFINED),
    })),
    {label: "Runs", text: (one) => plain(one.beside?.n)},
    ...data.cuts.map((cut, place) => ({
      label: `Kappa, judged ≥ ${cut}`,
      text: (one) => shown(agreementOf(one.mode)[place]?.kappa),
    })),
  ];
  fill(byId("headline"), columns, found);
}

function showTaus() {
  const rows = data.taus.flatMap((tau, at) => boards(at).map((one) => ({...one, tau, at})));
  const columns = [
    {label: "Grading mode", text: nameOf},
    {label: "tau", text: (row) => plain(row.tau)},
    ...Object.entries(COEFFICIENTS).map(([name, label]) => ({label, text: (row) => shown(row.beside?.[name])})),
    ...data.cuts.map((cut, place) => ({
      label: `Kappa, judged ≥ ${cut}`,
      text: (row) => shown(agreementOf(row.mode, row.at)[place]?.kappa),
    })),
  ];
  rows.sort((a, b) => a.mode - b.mode || a.at - b.at);
  fill(byId("taus"), columns, rows);
}

function showAgreement() {
  const place = byId("agreement");
  place.replaceChildren();
  state.modes.forEach((mode) => agreementOf(mode).forEach((found, at) => {
    const box = cell("div", "", {class: "wide", tabindex: 0, role: "region", "aria-label": `Agreement ${at + 1}`});
    const name = `${data.modes[mode].name}: label ≥ tau ${found.tau}, judged ≥ ${found.from}`;
    const kappa = `kappa ${shown(found.kappa)}${between(found.ends)}, ${found.n.toLocaleString("en")} passages`;
    const table = cell("table", cell("caption", `${name}; ${kappa}`));
    const rows = [["Label reaches tau", found.table[0]], ["Label is below", found.table[1]]];
    fill(table, [{label: "", text: (row) => row[0]}, {label: "Judged relevant", text: (row) => plain(row[1][0])},
      {label: "Judged not relevant", text: (row) => plain(row[1][1])}], rows);
    box.append(table);
    place.append(box);
    if (!at) place.append(gradedTable(data.modes[mode].name, found.graded));
  }));
}

function gradedTable(name, graded) {
  const judged = [...new Set(Object.values(graded).flatMap(Object.keys))].sort((a, b) => a - b);
  const columns = [{label: "Label", text: (label) => label},
    ...judged.map((one) => ({label: `Judged ${one}`, text: (label) => plain(graded[label][one] ?? 0)}))];
  const box = cell("div", "", {class: "wide", tabindex: 0, role: "region", "aria-label": `Labels of ${name}`});
  const table = cell("table", cell("caption", `${name}: every label beside every judgment`));
  fill(table, columns, Object.keys(graded).sort((a, b) => b - a));
  box.append(table);
  return box;
}
