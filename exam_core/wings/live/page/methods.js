// The methods paragraph of the choice, as the command line says it, and the papers that it names

const ofMode = (mode) => data.methods.modes[mode];

// Modes on one bank together; modes of whole passages, which have none, are with the first.
function groupsByBank(found) {
  const first = found.map((one) => ofMode(one.mode).bank).find((bank) => bank) ?? null;
  const groups = new Map();
  found.forEach((one) => {
    const bank = ofMode(one.mode).bank ?? first;
    groups.set(bank, [...(groups.get(bank) ?? []), one]);
  });
  return groups;
}

// What all modes have, as "tau = 4"; where they differ, of each.
function ofEach(words, what, group, valueOf) {
  const values = group.map((one) => [ofMode(one.mode).grader, valueOf(one)]).filter(([, value]) => value !== undefined);
  if (new Set(values.map(([, value]) => value)).size < 2) return words;
  const each = values.map(([grader, value]) => `${grader}: ${value}`).join(", ");
  return words.replace(`${what} = ${values[0][1]}`, () => `${what} (${each})`);
}

function enumerated(names) {
  return [names.slice(0, -1).join(", "), names[names.length - 1]].filter(Boolean).join(" and ");
}

function sentencesOf(group) {
  const {at, paragraphs, sentences} = data.methods;
  const modes = group.map((one) => ofMode(one.mode));
  const agreed = (name) => (one) => agreementOf(one.mode)[0]?.[name];
  const tau = (one) => one.board.tau ?? agreed("tau")(one);
  // The paragraph is that of a mode that grades questions, where there is one; the others give a passage one label.
  const lead = group.find((one) => ofMode(one.mode).bank) ?? group[0];
  const direct = ofMode(lead.mode).bank ? modes.filter((mode) => !mode.bank).map((mode) => mode.grader) : [];
  return paragraphs[at[placeOf(lead.mode)][state.reference]].map((number) => {
    if (number === ofMode(lead.mode).sentence) {
      return [`Grades are those of ${enumerated(modes.map((mode) => mode.said[0]))}.`, modes.flatMap((mode) => mode.said[1])];
    }
    const [words, papers] = sentences[number];
    const label = direct.length ? `of its grades; ${enumerated(direct)} ${direct.length > 1 ? "give" : "gives"} it one label` : "of its grades";
    const mixed = words.startsWith("A passage's label is") ? words.replace("of its grades", () => label) : words;
    return [ofEach(ofEach(mixed, "tau", [lead, ...group.filter((one) => one !== lead)], tau), "n", group, agreed("n")), papers];
  });
}

function showMethods(found) {
  const said = [...groupsByBank(found).values()].map(sentencesOf);
  const keys = new Set(said.flat().flatMap(([, papers]) => papers));
  byId("methods").replaceChildren(...said.map((one) => cell("p", one.map(([words]) => words).join(" "))));
  byId("bibtex").textContent = [...keys].map((key) => data.methods.papers[key]).join("\n\n");
}
