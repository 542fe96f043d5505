// What is chosen

const VIEWS = {normalised: ["normalised", "normalised_stderr"], raw: ["mean", "stderr"], ranks: ["rank"]};
const DEFAULTS = {modes: [0], measure: 0, tau: 0, labelRank: 0, reference: 0, view: "normalised",
  order: "reference", runs: "", run: "", query: "", question: "", cell: "", by: null};

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
    modes: named.length ? named : first.modes,
    measure: placeIn(data.measures, said.get("measure"), first.measure),
    tau: placeIn(data.taus, said.get("tau"), first.tau),
    labelRank: placeIn(data.labelRanks, said.get("label_rank"), first.labelRank),
    reference: placeIn(data.references, said.get("reference"), first.reference),
    view: one("view", Object.keys(VIEWS), first.view),
    order: one("order", ["reference", "own"], first.order),
    runs: said.get("runs") ?? first.runs,
    run: data.runs.includes(said.get("run")) ? said.get("run") : "",
    query: said.get("query") ?? "",
    question: said.get("question") ?? "",
    cell: /^-?\d+,-?\d+$/.test(said.get("cell")) ? said.get("cell") : "",
    by: placeIn(data.modes, said.get("by"), null),
  };
}

function addressOf(chosen) {
  const said = new URLSearchParams();
  chosen.modes.forEach((mode) => said.append("mode", data.modes[mode].id));
  said.set("measure", data.measures[chosen.measure].id);
  said.set("tau", data.taus[chosen.tau]);
  said.set("label_rank", data.labelRanks[chosen.labelRank]);
  if (data.references.length) said.set("reference", data.references[chosen.reference].id);
  const texts = data.passages ? ["query", "question", "cell"] : [];
  ["view", "order", "run", ...texts].forEach((name) => chosen[name] && said.set(name, chosen[name]));
  if (texts.length && chosen.by !== null) said.set("by", data.modes[chosen.by].id);
  if (chosen.runs || data.first.runs) said.set("runs", chosen.runs);
  return `#${said}`;
}

const placeOf = (mode, at = state) => [mode, at.measure, at.tau, at.labelRank].join();
const numberAt = (mode, at = state) => data.at[placeOf(mode, at)];

const agreedAt = (mode, at) => data.agreedAt[[mode, at.tau, at.labelRank].join()];

// Whether another place on an axis shows anything else.
function moves(axis, places) {
  const there = (place) => state.modes.flatMap((mode) => {
    const at = {...state, [axis]: place};
    return [numberAt(mode, at), agreedAt(mode, at)];
  }).join(";");
  return places.some((_, place) => there(place) !== there(state[axis]));
}

// A measure that looks at no grades is the same whichever the mode is.
function boards(at = state) {
  const modes = data.measures[at.measure].ofGrades ? at.modes : at.modes.slice(0, 1);
  return modes.map((mode) => ({mode, number: numberAt(mode, at)}))
    .filter((one) => one.number !== undefined)
    .map((one) => ({...one, board: data.boards[one.number], beside: besideOf(data.boards[one.number])}));
}

const besideOf = (board) => board.beside[state.reference] ?? null;

function nameOf(one) {
  const measure = data.measures[state.measure];
  return measure.ofGrades ? data.modes[one.mode].name : measure.id;
}

// What stands before a heading or a sentence where there are several grading modes
const namedIf = (many, one) => (many ? `${nameOf(one)}: ` : "");

// Words of names with blanks between; a minus in front hides, a star at the end asks how names begin.
function isShown(run, words) {
  const folded = (text) => text.toUpperCase().toLowerCase().normalize();
  const asked = folded(words).split(/\s+/).filter((word) => word.replace(/^[-*]+|[-*]+$/g, ""));
  const hasOne = (found) => found.some((word) => (word.endsWith("*") ? folded(run).startsWith(word.slice(0, -1))
    : folded(run).includes(word)));
  const wanted = asked.filter((word) => !word.startsWith("-"));
  const unwanted = asked.filter((word) => word.startsWith("-")).map((word) => word.slice(1));
  return !hasOne(unwanted) && (!wanted.length || hasOne(wanted));
}

// A filter that hides all runs hides none.
function runsInOrder(found) {
  if (!found.length) return [];
  const all = data.runs.map((_, place) => place).filter((place) => found.some((one) => one.board.n_queries[place] !== null));
  const shown = all.filter((place) => isShown(data.runs[place], state.runs));
  const places = shown.length ? shown : all;
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
