// What is undefined, and why

const whyMissing = (mode) => data.notes[data.missing[[mode, state.measure, state.tau, state.labelRank].join()]];

// Which of the chosen modes have no questions, which the measure needs, and the measure that shows all of them.
function undrawn() {
  const names = state.modes.filter((mode) => numberAt(mode) === undefined && !whyMissing(mode)).map((mode) => data.modes[mode].name);
  const other = data.measures.find((_, measure) => state.modes.every((mode) => numberAt(mode, {...state, measure}) !== undefined));
  if (!names.length || !data.measures[state.measure].ofGrades || !other) return "";
  const listed = new Intl.ListFormat("en").format(names);
  return `${listed} ${names.length > 1 ? "grade" : "grades"} whole passages: choose ${other.id}.`;
}

function showNotes(found) {
  const numbers = found.flatMap((one) => (one.beside ?? one.board).notes);
  const told = state.modes.filter((mode) => numberAt(mode) === undefined).map((mode) => {
    const why = whyMissing(mode) ?? "it labels whole passages, and this measure needs questions.";
    return `${data.modes[mode].name}: ${why}`;
  });
  const sentences = [...told, ...new Set(numbers.map((number) => data.notes[number]))];
  byId("notes-section").hidden = !sentences.length;
  byId("notes").replaceChildren(...sentences.map((sentence) => cell("li", sentence)));
}
