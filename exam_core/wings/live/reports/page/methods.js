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

function sentencesOf(group) {
  const {at, paragraphs, sentences} = data.methods;
  const [{mode}] = group;
  const numbers = paragraphs[at[placeOf(mode)][state.reference]];
  const taus = new Map(group.map((one) => [ofMode(one.mode).grader, one.board.tau]));
  const [tau] = taus.values();
  const each = [...taus].map(([grader, own]) => `${grader}: ${own}`).join(", ");
  const differ = new Set(taus.values()).size > 1;
  const own = ofMode(mode).sentence;
  const others = [...new Set(group.map((one) => ofMode(one.mode).sentence))].filter((number) => number !== own);
  return numbers.flatMap((number) => (number === own ? [own, ...others] : [number])).map((number) => {
    const [words, papers] = sentences[number];
    return [differ ? words.replace(`tau = ${tau}`, () => `tau (${each})`) : words, papers];
  });
}

function showMethods(found) {
  const said = [...groupsByBank(found).values()].map(sentencesOf);
  const keys = new Set(said.flat().flatMap(([, papers]) => papers));
  byId("methods").replaceChildren(...said.map((one) => cell("p", one.map(([words]) => words).join(" "))));
  byId("bibtex").textContent = [...keys].map((key) => data.methods.papers[key]).join("\n\n");
}
