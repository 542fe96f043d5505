"use strict";
// The live page: shows numbers of the data, and computes none. Choices are kept in the address behind #.

const UNDEFINED = "†";
const COEFFICIENTS = {spearman: "Spearman", kendall: "Kendall", tau_ap: "tau-AP"};
const VIEWS = {normalised: ["normalised", "normalised_stderr"], raw: ["mean", "stderr"], ranks: ["rank"]};
const ONE = [["rank", plain], ["rank_low", plain], ["rank_high", plain], ["tier", plain], ["mean", shown], ["stderr", shown],
  ["normalised", shown], ["normalised_stderr", shown], ["holes", percent], ["n_queries", plain], ["unanswered", plain]];
const SEVERAL = [["mean", shown], ["stderr", shown], ["rank", plain]];
const byId = (id) => document.getElementById(id);
let data, values, state, drawing;

// Data and Plotly are compressed: neither may be fetched, since the page stands alone.

function bytes(id) {
  const letters = atob(byId(id).textContent);
  const found = new Uint8Array(letters.length);
  for (let place = 0; place < letters.length; place += 1) found[place] = letters.charCodeAt(place);
  return found;
}

function unpacked(id) {
  const stream = new Blob([bytes(id)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream);
}

async function loadPlotly() {
  const code = new Blob([await unpacked("plotly").blob()], {type: "text/javascript"});
  const script = document.createElement("script");
  script.src = URL.createObjectURL(code);
  await new Promise((resolve, reject) => {
    script.onload = resolve;
    script.onerror = reject;
    document.head.append(script);
  });
}

// Numbers as the command line prints them: halves that a double holds exactly go to the even digit.

function shown(value, digits = 3) {
  if (value === null || value === undefined) return UNDEFINED;
  const doubled = value * 2 ** (digits + 1);
  if (Number.isInteger(doubled) && doubled % 2 !== 0) {
    const below = Math.floor(value * 10 ** digits);
    return ((below % 2 === 0 ? below : below + 1) / 10 ** digits).toFixed(digits);
  }
  return value.toFixed(digits);
}

function plain(value) {
  return value === null || value === undefined ? UNDEFINED : String(value);
}

function percent(value) {
  return value === null || value === undefined ? UNDEFINED : `${shown(100 * value, 1)}%`;
}

const signed = (value) => (value > 0 ? `+${value}` : plain(value));
const between = (ends) => (ends ? ` [${shown(ends[0])}, ${shown(ends[1])}]` : "");

// What is chosen

const DEFAULTS = {modes: [0], measure: 0, tau: 0, labelRank: 0, reference: 0, view: "normalised", order: "reference",
  runs: "", run: ""};

function placeIn(listed, wanted, otherwise) {
  const place = listed.findIndex((one) => String(one.id ?? one) === wanted);
  return place < 0 ? otherwise : place;
}

function stateOf(address) {
  const said = new URLSearchParams(address.replace(/^#/, ""));
  const first = {...DEFAULTS, ...data.first};
  const named = said.getAll("mode").map((mode) => placeIn(data.modes, mode, -1)).filter((place) => place >= 0);
  const one = (name, among, otherwise) => (among.includes(said.get(name)) ? said.get(name) : otherwise);
  return {
    modes: named.length ? named.sort((a, b) => a - b) : first.modes,
    measure: placeIn(data.measures, said.get("measure"), first.measure),
    tau: placeIn(data.taus, said.get("tau"), first.tau),
    labelRank: placeIn(data.labelRanks, said.get("label_rank"), first.labelRank),
    reference: placeIn(data.references, said.get("reference"), first.reference),
    view: one("view", Object.keys(VIEWS), first.view),
    order: one("order", ["reference", "own"], first.order),
    runs: said.get("runs") ?? "",
    run: data.runs.includes(said.get("run")) ? said.get("run") : "",
  };
}

function addressOf(chosen) {
  const said = new URLSearchParams();
  chosen.modes.forEach((mode) => said.append("mode", data.modes[mode].id));
  said.set("measure", data.measures[chosen.measure].id);
  said.set("tau", data.taus[chosen.tau]);
  said.set("label_rank", data.labelRanks[chosen.labelRank]);
  if (data.references.length) said.set("reference", data.references[chosen.reference].id);
  ["view", "order", "runs", "run"].forEach((name) => chosen[name] && said.set(name, chosen[name]));
  return `#${said}`;
}

function numberAt(mode, tau = state.tau) {
  return data.at[[mode, state.measure, tau, state.labelRank].join()];
}

function boards(tau = state.tau) {
  return state.modes.map((mode) => ({mode, number: numberAt(mode, tau)}))
    .filter((one) => one.number !== undefined)
    .map((one) => ({...one, board: data.boards[one.number], beside: besideOf(data.boards[one.number])}));
}

const besideOf = (board) => board.beside[state.reference] ?? null;
const nameOf = (one) => data.modes[one.mode].name;

function runsInOrder(found) {
  const wanted = state.runs.trim().toLowerCase();
  const places = data.runs.map((_, place) => place)
    .filter((place) => data.runs[place].toLowerCase().includes(wanted));
  if (!found.length) return [];
  const {board, beside} = found[0];
  const reference = state.order === "reference" && beside ? data.ranks[beside.ranks] : [];
  const key = (place) => [reference[place] ?? Infinity, board.rank[place] ?? Infinity];
  const names = new Intl.Collator("en").compare;
  return places.sort((a, b) => {
    const [ka, kb] = [key(a), key(b)];
    if (ka[0] !== kb[0]) return ka[0] - kb[0];
    return ka[1] === kb[1] ? names(data.runs[a], data.runs[b]) : ka[1] - kb[1];
  });
}

// Tables: made of text alone, so that no name can become markup.

function cell(tag, content, attributes = {}) {
  const element = document.createElement(tag);
  if (content instanceof Node) element.append(content);
  else element.textContent = content;
  Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
  return element;
}

// columns: {label, help, text(row), sort(row)}; the first is the row's head
function fill(table, columns, rows, sorted, choose) {
  const head = cell("tr", "");
  columns.forEach((column, place) => {
    const th = cell("th", "", {scope: "col", title: column.help ?? ""});
    if (choose && column.sort) {
      const button = cell("button", column.label, {type: "button"});
      button.addEventListener("click", () => choose(place));
      th.append(button);
      if (sorted?.column === place) th.setAttribute("aria-sort", sorted.down ? "descending" : "ascending");
    } else {
      th.textContent = column.label;
    }
    head.append(th);
  });
  const body = rows.map((row) => {
    const line = cell("tr", "");
    columns.forEach((column, place) => {
      const content = column.text(row);
      line.append(place ? cell("td", content) : cell("th", content, {scope: "row", dir: "auto"}));
    });
    return line;
  });
  const caption = table.caption;
  table.replaceChildren(...(caption ? [caption] : []), cell("thead", head), cell("tbody", ""));
  table.tBodies[0].append(...body);
}

let sorting = null;

function columnsOf(found) {
  const many = found.length > 1;
  const columns = [{label: "Run", text: (place) => runButton(place), sort: (place) => data.runs[place]}];
  const reference = found[0]?.beside && data.ranks[found[0].beside.ranks];
  found.forEach((one) => {
    const before = many ? `${nameOf(one)}: ` : "";
    columns.push(...(many ? SEVERAL : ONE).map(([name, written]) => ({
      label: before + data.columns[name].label,
      help: data.columns[name].help,
      text: (place) => written(one.board[name][place]),
      sort: (place) => one.board[name][place],
    })));
    if (one.beside) {
      columns.push({
        label: before + data.columns.displacement.label,
        help: data.columns.displacement.help,
        text: (place) => signed(one.beside.displacement[place]),
        sort: (place) => one.beside.displacement[place],
      });
    }
  });
  if (reference) {
    columns.splice(many ? 1 : 2, 0, {
      label: `Rank in ${data.references[state.reference].name}`,
      text: (place) => plain(reference[place]),
      sort: (place) => reference[place],
    });
  }
  return columns;
}

function runButton(place) {
  const button = cell("button", data.runs[place], {type: "button", title: "Show its values by query"});
  button.addEventListener("click", () => change({run: data.runs[place]}));
  return button;
}

function bySort(columns) {
  const {sort} = columns[sorting.column];
  return (a, b) => {
    const [left, right] = [sort(a), sort(b)];
    if (left === right) return 0;
    if (left === null || left === undefined) return 1;
    if (right === null || right === undefined) return -1;
    return (left < right ? -1 : 1) * (sorting.down ? -1 : 1);
  };
}

function showBoard(found, order) {
  const columns = columnsOf(found);
  if (sorting && sorting.column >= columns.length) sorting = null;
  const rows = sorting ? [...order].sort(bySort(columns)) : order;
  fill(byId("board"), columns, rows, sorting, (column) => {
    sorting = {column, down: sorting?.column === column ? !sorting.down : false};
    showBoard(found, order);
  });
}

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

async function showRun(found) {
  byId("run-section").hidden = !state.run;
  if (!state.run) return;
  values ??= await unpacked("values").json();
  byId("run-heading").textContent = `Values by query of ${state.run}`;
  const valueOf = (one, query) => {
    const {numbers, at} = values.boards[one.number];
    const place = at[state.run]?.[query] ?? -1;
    return place < 0 ? null : numbers[place];
  };
  const columns = [{label: "Query", text: (query) => values.queries[query]},
    ...found.map((one) => ({label: nameOf(one), text: (query) => shown(valueOf(one, query))}))];
  fill(byId("run"), columns, values.queries.map((_, place) => place));
}

function showNotes(found) {
  const numbers = found.flatMap((one) => (one.beside ?? one.board).notes);
  const told = state.modes.filter((mode) => numberAt(mode) === undefined).map((mode) => {
    const place = [mode, state.measure, state.tau, state.labelRank].join();
    const why = data.notes[data.missing[place]] ?? "it labels whole passages, and this measure needs questions.";
    return `${data.modes[mode].name}: ${why}`;
  });
  const sentences = [...told, ...new Set(numbers.map((number) => data.notes[number]))];
  byId("notes").replaceChildren(...sentences.map((sentence) => cell("li", sentence)));
}

// The chart

const LONGEST = 24;
// Plotly reads some markup in names: what could be markup is written as characters.
const asText = (name) => name.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const shortened = (name) => asText(name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name);

function barsOf(one, order) {
  const look = {type: "data", thickness: 1.2, width: 2};
  if (state.view !== "ranks") return {...look, array: order.map((place) => one.board[VIEWS[state.view][1]][place])};
  const {rank, rank_low: low, rank_high: high} = one.board;
  const known = (place) => low[place] !== null && rank[place] !== null;
  return {
    ...look,
    array: order.map((place) => (known(place) ? high[place] - rank[place] : null)),
    arrayminus: order.map((place) => (known(place) ? rank[place] - low[place] : null)),
  };
}

function traceOf(one, order) {
  const [value] = VIEWS[state.view];
  const ranks = state.view === "ranks";
  const mode = data.modes[one.mode];
  return {
    type: "scatter",
    mode: state.modes.length > 1 ? "markers+lines" : "markers",
    name: asText(mode.name),
    x: order.map((place) => data.runs[place]),
    y: order.map((place) => one.board[value][place]),
    error_y: barsOf(one, order),
    customdata: order.map((place) => [asText(data.runs[place]), ...["rank", "rank_low", "rank_high"]
      .map((name) => plain(one.board[name][place]))]),
    hovertemplate: `%{customdata[0]}<br>${ranks ? "" : "%{y:.3f} ± %{error_y.array:.3f}<br>"}rank %{customdata[1]}` +
      ", 95% %{customdata[2]} to %{customdata[3]}<extra>%{fullData.name}</extra>",
    line: {width: 1, dash: mode.dash, color: mode.color},
    marker: {symbol: mode.symbol, size: 8, color: mode.color},
    offsetgroup: String(one.mode),
    cliponaxis: false,
  };
}

function layoutOf(found, order) {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const line = {gridcolor: colour("--line"), linecolor: colour("--line"), zeroline: false, automargin: true};
  const kind = {raw: "score ± SE", normalised: "re-normalised score ± SE", ranks: "rank, 95% interval"}[state.view];
  return {
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: {color: colour("--ink"), family: "system-ui, sans-serif"},
    hoverlabel: {bgcolor: colour("--ground"), bordercolor: colour("--line"), font: {color: colour("--ink")}},
    height: 400,
    margin: {l: 10, r: 10, t: 40, b: 10},
    legend: {orientation: "h", y: 1.02, yanchor: "bottom", x: 0},
    showlegend: found.length > 1,
    scattermode: "group",
    scattergap: 0.5,
    xaxis: {...line, type: "category", tickangle: order.length > 24 ? -90 : -60, tickfont: {size: 12},
      tickvals: order.map((place) => data.runs[place]), ticktext: order.map((place) => shortened(data.runs[place]))},
    yaxis: {...line, title: {text: found.length ? `${found[0].board.heading}<br>${kind}` : ""},
      ...(state.view === "ranks" ? {autorange: "reversed"} : {})},
    uirevision: `${state.view} ${order.length}`,
  };
}

function showChart(found, order) {
  const traces = found.map((one) => traceOf(one, order));
  const names = found.map((one) => one.board.title).join("; ");
  byId("chart").setAttribute("aria-label", `Scores of ${order.length} runs by ${names}; the table below has them.`);
  const draw = () => Plotly.react("chart", traces, layoutOf(found, order), {responsive: true, displaylogo: false});
  drawing = draw;
  if (window.Plotly) draw();
}

// Everything, at each change

function show() {
  const found = boards();
  const order = runsInOrder(found);
  showChart(found, order);
  showHeadline(found);
  showBoard(found, order);
  showTaus();
  showAgreement();
  showNotes(found);
  byId("title").textContent = found.map((one) => one.board.title).join("; ") || "No leaderboard";
  byId("count").textContent = `${order.length} of ${data.runs.length} runs`;
  return showRun(found);
}

function change(part) {
  state = {...state, ...part};
  history.replaceState(null, "", addressOf(state));
  settle();
  return show();
}

function settle() {
  byId("modes").querySelectorAll("input").forEach((box) => { box.checked = state.modes.includes(Number(box.value)); });
  ["measure", "labelRank", "reference", "view", "order"].forEach((name) => {
    if (byId(name)) byId(name).value = state[name];
  });
  byId("tau").value = state.tau;
  byId("tau-shown").textContent = data.taus[state.tau];
  byId("tau").setAttribute("aria-valuetext", `tau ${data.taus[state.tau]}`);
  byId("tau").disabled = !data.measures[state.measure].taus;
  byId("labelRank").disabled = !data.measures[state.measure].ranks;
  if (byId("runs").value !== state.runs) byId("runs").value = state.runs;
  byId("meaning").textContent = data.measures[state.measure].meaning;
}

function listen() {
  byId("choices").addEventListener("submit", (event) => event.preventDefault());
  byId("modes").addEventListener("change", () => {
    const modes = [...byId("modes").querySelectorAll("input:checked")].map((box) => Number(box.value));
    change({modes: modes.length ? modes : state.modes});
  });
  ["measure", "labelRank", "reference", "tau"].forEach((name) => {
    byId(name)?.addEventListener("input", (event) => change({[name]: Number(event.target.value)}));
  });
  ["view", "order", "runs"].forEach((name) => {
    byId(name).addEventListener("input", (event) => change({[name]: event.target.value}));
  });
  window.addEventListener("hashchange", () => {
    state = stateOf(location.hash);
    settle();
    show();
  });
  byId("close-run").addEventListener("click", () => change({run: ""}));
  byId("copy-link").addEventListener("click", copyLink);
  document.querySelectorAll("button[data-csv]").forEach((button) => {
    button.addEventListener("click", () => saveTable(button.dataset.csv));
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawing?.());
}

async function copyLink() {
  const said = byId("copied");
  try {
    await navigator.clipboard.writeText(location.href);
    said.textContent = "Copied.";
  } catch {
    said.textContent = `Copy the address: ${location.href}`;
  }
}

// A cell that a spreadsheet would take for a formula gets an apostrophe in front.
function csvCell(text) {
  const guarded = /^'*[=+\-@\t\r]/.test(text) && !/^-?[\d.]+$/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}

function saveTable(id) {
  const lines = [...byId(id).rows].map((row) => [...row.cells].map((one) => csvCell(one.textContent)).join(","));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([`${lines.join("\r\n")}\r\n`], {type: "text/csv"}));
  link.download = `${data.collection}-${id}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
}

async function start() {
  const plotly = loadPlotly();
  data = await unpacked("data").json();
  state = stateOf(location.hash);
  listen();
  settle();
  byId("first")?.remove();
  document.body.classList.add("ready");
  await show();
  await plotly;
  drawing();
}

start();
