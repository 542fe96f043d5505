// Everything, at each change: what is in sight at once, the rest as soon as that is painted

// Not every browser tells when it is idle.
const whenIdle = (work) => (window.requestIdleCallback ? requestIdleCallback(work, {timeout: 100}) : setTimeout(work));
let waiting = [];

function isInSight(id) {
  const {top, bottom} = byId(id).getBoundingClientRect();
  return top < innerHeight && bottom > 0;
}

function fillNext() {
  const next = waiting.shift();
  if (!next) return;
  next[1]();
  whenIdle(fillNext);
}

function fillRest() {
  waiting.splice(0).forEach(([, fillIn]) => fillIn());
}

function show() {
  const found = boards();
  const order = runsInOrder(found);
  const parts = [["board", () => showBoard(found, order)], ["outliers", () => showOutliers(found, order)],
    ["taus", showTaus], ["agreement", showAgreement], ["methods", () => showMethods(found)]];
  waiting = parts.filter(([id]) => !isInSight(id));
  const seen = parts.filter((part) => !waiting.includes(part));
  showChart(found, order);
  showHeadline(found);
  showNotes(found);
  seen.forEach(([, fillIn]) => fillIn());
  whenIdle(fillNext);
  byId("title").textContent = titled(found);
  byId("said").textContent = [said(found), undrawn()].filter(Boolean).join(" ");
  byId("count").textContent = `${order.length} of ${data.runs.length} runs`;
  return Promise.all([showRun(found), showCell()]);
}

function change(part) {
  state = {...state, ...part};
  history.replaceState(null, "", addressOf(state));
  settle();
  return show();
}

// The choices stand above what is led to, where they stay in sight.
function leadTo(id) {
  const form = byId("choices");
  const covered = getComputedStyle(form).position === "sticky" ? form.offsetHeight : 0;
  byId(id).focus({preventScroll: true});
  scrollTo({top: byId(id).getBoundingClientRect().top + scrollY - covered - 8});
}

async function openAt(heading, part) {
  await change(part);
  leadTo(heading);
}

function settle() {
  byId("modes").querySelectorAll("input").forEach((box) => { box.checked = state.modes.includes(Number(box.value)); });
  ["measure", "labelRank", "reference", "view", "order"].forEach((name) => {
    if (byId(name)) byId(name).value = state[name];
  });
  byId("tau").value = state.tau;
  byId("tau-shown").textContent = data.taus[state.tau];
  byId("tau").setAttribute("aria-valuetext", `tau ${data.taus[state.tau]}`);
  byId("tau").closest("label").hidden = !moves("tau", data.taus);
  byId("labelRank").closest("label").hidden = !moves("labelRank", data.labelRanks);
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
  window.addEventListener("beforeprint", fillRest);
  byId("close-run").addEventListener("click", closeRun);
  byId("close-cell")?.addEventListener("click", () => change({cell: ""}));
  byId("close-passages")?.addEventListener("click", () => change({query: ""}));
  byId("by")?.addEventListener("input", (event) => change({by: Number(event.target.value)}));
  byId("question")?.addEventListener("input", (event) => change({question: event.target.value}));
  const clicks = {"copy-link": copyLink, "copy-figure": copyFigure, "save-svg": () => saveFigure("svg"),
    "save-png": () => saveFigure("png"), "copy-methods": () => copyFrom("methods"),
    "copy-bibtex": () => copyFrom("bibtex")};
  Object.entries(clicks).forEach(([id, clicked]) => byId(id).addEventListener("click", clicked));
  document.querySelectorAll("button[data-csv]").forEach((button) => {
    button.addEventListener("click", () => saveTable(button.dataset.csv));
  });
  ["(prefers-color-scheme: dark)", "print"].forEach((media) => {
    matchMedia(media).addEventListener("change", () => drawing?.());
  });
}

async function start() {
  const plotly = loadPlotly();
  data = await unpacked("data").json();
  state = stateOf(location.hash);
  listen();
  settle();
  document.body.classList.add("ready");
  await show();
  await plotly;
  drawing();
}

start();
