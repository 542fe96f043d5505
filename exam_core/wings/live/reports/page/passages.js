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
  button.addEventListener("click", async () => {
    await change({query});
    byId("passages-heading").focus({preventScroll: true});
    byId("passages-heading").scrollIntoView();
  });
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

// Places count whole characters.
function marked(text, places) {
  const letters = [...text];
  const part = (start, end) => letters.slice(start, end).join("");
  const element = cell("p", "", {class: "passage", dir: "auto", ...(text.length > 1000 ? {tabindex: 0} : {})});
  let before = 0;
  places.forEach(([start, end]) => {
    element.append(part(before, start), cell("mark", part(start, end)));
    before = end;
  });
  element.append(part(before));
  return element;
}

// What a block says of one of its passages: the mode and the question that are chosen have the words.
function passageItem([doc, text], place, rank, {block, by, question}) {
  const {bank, labels, grades} = block.modes[by] ?? {bank: null, labels: [], grades: []};
  const label = (labels[state.labelRank] ?? labels[0] ?? [])[place] ?? null;
  const tau = data.passages.taus[by][state.tau];
  const reaches = typeof label !== "number" || tau === null ? "" : label >= tau ? ` (reaches tau ${tau})` : ` (below tau ${tau})`;
  const facts = [`label ${graded(label)}${reaches}`,
    block.judged[place] === null ? "not judged" : `judged ${block.judged[place]}`,
    ...(bank === null ? [] : [`grade on this question: ${graded(grades[place][question] ?? null)}`])];
  const head = cell("p", cell("strong", `${rank}`));
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
  byId(id).closest("label").hidden = options.length < 2;
}

// The mode whose grades are shown, and the question whose words are marked: what is chosen, else the first there is
function evidenceOf(block) {
  const modes = state.modes.filter((mode) => block.modes[mode]);
  const by = modes.includes(state.by) ? state.by : modes[0] ?? state.modes[0];
  const questions = block.banks[block.modes[by]?.bank]?.questions ?? [];
  const question = Math.max(0, questions.findIndex(([id]) => id === state.question));
  fillBox("by", modes.map((mode) => [mode, data.modes[mode].name]), by);
  fillBox("question", questions.map(([id, text], number) => [id, `${number + 1}. ${text ?? id}`]), questions[question]?.[0]);
  return {block, by, question};
}

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
  byId("passages-count").textContent = places.length ? `The first ${places.length}.` : "It returned nothing for this query.";
  const evidence = evidenceOf(block);
  byId("passages").replaceChildren(...listed.map((one, at) => passageItem(one, places[at], at + 1, evidence)));
}
