// What is undefined, and why

function showNotes(found) {
  const numbers = found.flatMap((one) => (one.beside ?? one.board).notes);
  const told = state.modes.filter((mode) => numberAt(mode) === undefined).map((mode) => {
    const choice = [mode, state.measure, state.tau, state.labelRank].join();
    const why = data.notes[data.missing[choice]] ?? "it labels whole passages, and this measure needs questions.";
    return `${data.modes[mode].name}: ${why}`;
  });
  const sentences = [...told, ...new Set(numbers.map((number) => data.notes[number]))];
  byId("notes-section").hidden = !sentences.length;
  byId("notes").replaceChildren(...sentences.map((sentence) => cell("li", sentence)));
}
