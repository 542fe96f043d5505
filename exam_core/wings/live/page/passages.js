// What a run returned for a query: there only where the page was made with passages, and unpacked when it is asked for

const blocks = new Map();

function blockOf(query) {
  if (!blocks.has(query)) blocks.set(query, unpacked(`passages-${query}`).json());
  return blocks.get(query);
}

// A passage that an earlier block has is the number of that block, and its place there.
const passageOf = async (one) => (typeof one[0] === "number" ? (await blockOf(one[0])).passages[one[1]] : one);

function queryButton(place) {
  const query = values.queries[place];
  if (!data.passages) return query;
  const button = cell("button", query, {type: "button", title: "Show its passages"});
  button.addEventListener("click", () => openAt("passages-heading", {query}));
  return button;
}

const graded = (value) => (value === null ? "not graded" : value === "?" ? "unreadable" : String(value));

// The places of a question's words in a passage, from how far each begins behind the beginning of the one before
function marksOf(flat, groups, question) {
  const found = [];
  for (let at = 0, start = 0; at < flat.length; at += 3) {
    start += flat[at];
    if (groups[flat[at + 2]].includes(question)) found.push([start, start + flat[at + 1]]);
  }
  return found;
}

const LONG = 1000;

// Places count whole characters. A long text has a box of its own, in which keys scroll.
function marked(text, places) {
  const letters = [...text];
  const part = (start, end) => letters.slice(start, end).join("");
  const box = letters.length > LONG ? {class: "passage long", tabindex: 0} : {class: "passage"};
  const element = cell("p", "", {...box, dir: "auto"});
  let before = 0;
  places.forEach(([start, end]) => {
    element.append(part(before, start), cell("mark", part(start, end)));
    before = end;
  });
  element.append(part(before));
  return element;
}

const saysOf = (block, by) => block.modes[by] ?? {bank: null, labels: [], grades: []};

// A mode of whole passages has labels of the first rank alone.
function labelOf(block, by, place) {
  const {labels} = saysOf(block, by);
  return (labels[state.labelRank] ?? labels[0] ?? [])[place] ?? null;
}

function labelInWords(label, tau) {
  if (typeof label !== "number" || tau === null) return `label ${graded(label)}`;
  return `label ${label} (${label >= tau ? "reaches" : "below"} tau ${tau})`;
}

// A passage in words, with what marks it: {block, place, by, question}, and the name under which it is listed
function passageItem([doc, text], {block, place, by, question}, name, asked = "this question") {
  const {bank, grades} = saysOf(block, by);
  const judged = block.judged[place];
  const facts = [labelInWords(labelOf(block, by, place), data.passages.taus[by][state.tau]),
    judged === null ? "not judged" : `judged ${judged}`,
    ...(bank === null ? [] : [`grade on ${asked}: ${graded(grades[place][question] ?? null)}`])];
  const head = cell("p", cell("strong", name));
  head.append(" ", cell("bdi", doc), ` · ${facts.join(" · ")}`);
  const item = cell("li", head);
  const {marks, groups} = block.banks[bank] ?? {marks: [], groups: []};
  if (text === null) item.append(cell("p", "The text is not known, only the id.", {class: "quiet"}));
  else item.append(marked(text, marksOf(marks[place] ?? [], groups, question)));
  if (bank !== null) {
    const each = grades[place].map((grade, number) => `${number + 1}: ${graded(grade)}`);
    item.append(cell("p", `Grades by question: ${each.join(", ")}`, {class: "quiet"}));
  }
  return item;
}

function fillBox(id, options, chosen) {
  byId(id).replaceChildren(...options.map(([value, text]) => cell("option", text, {value})));
  byId(id).value = chosen;
  byId(id).closest("label").hidden = !options.length;
}

// The mode whose grades are shown, and the question whose words are marked: what is chosen, else the first on the board
function evidenceOf(block) {
  const modes = state.modes.filter((mode) => block.modes[mode]);
  const onBoard = modes.find((mode) => numberAt(mode) !== undefined);
  const by = modes.includes(state.by) ? state.by : onBoard ?? modes[0] ?? state.modes[0];
  const questions = block.banks[saysOf(block, by).bank]?.questions ?? [];
  const question = Math.max(0, questions.findIndex(([id]) => id === state.question));
  fillBox("by", modes.map((mode) => [mode, data.modes[mode].name]), by);
  fillBox("question", questions.map(([id, text], number) => [id, `${number + 1}. ${text ?? id}`]), questions[question]?.[0]);
  return {block, by, question};
}

// Of a run for a query

async function showPassages() {
  const section = byId("passages-section");
  if (!section) return;
  const [asked, query] = [state, values.queries.indexOf(state.query)];
  section.hidden = query < 0;
  if (query < 0) return;
  const block = await blockOf(query);
  const depth = data.measures[state.measure].depth ?? data.passages.depth;
  const places = block.ranked[data.runs.indexOf(state.run)].slice(0, depth);
  const listed = await Promise.all(places.map((place) => passageOf(block.passages[place])));
  if (asked !== state) return;
  byId("passages-heading").textContent = `Passages of ${state.run} for ${state.query}`;
  byId("passages-query").textContent = block.query ?? "";
  byId("passages-count").textContent = places.length ? `The first ${places.length} passages.` : "The run returned nothing for this query.";
  const evidence = evidenceOf(block);
  byId("passages-marked").hidden = byId("question").closest("label").hidden;
  byId("passages").replaceChildren(...listed.map((one, at) => passageItem(one, {...evidence, place: places[at]}, `${at + 1}`)));
}

// Of a cell of the matrix of labels and judgments

const LISTED = 50;

function countButton(mode, label, judged, count) {
  if (!data.passages || !count) return plain(count);
  const button = cell("button", plain(count), {type: "button", title: `Show passages with label ${label}, judged ${judged}`});
  button.addEventListener("click", () => openAt("cell-heading", {by: mode, cell: `${label},${judged}`}));
  return button;
}

// The question that a passage answers best
function bestQuestion({block, place, by}) {
  const {bank, grades} = saysOf(block, by);
  if (bank === null) return [0, ""];
  const numbers = grades[place].map((grade) => (typeof grade === "number" ? grade : -1));
  const question = numbers.indexOf(Math.max(...numbers));
  const [id, text] = block.banks[bank].questions[question];
  return [question, `question ${question + 1} (${text ?? id})`];
}

async function showCell() {
  const section = byId("cell-section");
  if (!section) return;
  const [asked, by] = [state, state.by];
  section.hidden = !state.cell || !state.modes.includes(by);
  if (section.hidden) return;
  await readValues();
  const [label, judged] = state.cell.split(",").map(Number);
  const all = await Promise.all(values.queries.map((_, query) => blockOf(query)));
  const found = all.flatMap((block, query) => block.judged.map((one, place) => ({block, query, place, by}))
    .filter((one) => block.judged[one.place] === judged && labelOf(block, by, one.place) === label));
  const listed = await Promise.all(found.slice(0, LISTED).map(({block, place}) => passageOf(block.passages[place])));
  if (asked !== state) return;
  const whole = agreementOf(by)[0]?.graded[label]?.[judged] ?? 0;
  byId("cell-heading").textContent = `Passages with label ${label}, judged ${judged}: ${data.modes[by].name}`;
  byId("cell-count").textContent = `${found.length} of ${whole} are among the first ${data.passages.depth} of a run` +
    `${found.length > LISTED ? `; the first ${LISTED} are listed` : ""}. Words are marked for the question that a passage ` +
    "answers best.";
  byId("cell").replaceChildren(...listed.map((one, at) => {
    const [question, name] = bestQuestion(found[at]);
    return passageItem(one, {...found[at], question}, values.queries[found[at].query], name);
  }));
}
