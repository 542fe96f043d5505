// Runs that stand elsewhere than the reference has them

const DISPLACED = {rank: texts("rankTexts"), reference_rank: texts("referenceRankTexts"),
  rank_displacement: numbers(signed), low: numbers(signedTenths), high: numbers(signedTenths),
  p: numbers(ofThousandths), p_holm: numbers(ofThousandths), flagged: numbers(yesOrNo)};
const DISPLACED_SHORT = ["rank_displacement", "p_holm", "flagged"];

const outliersOf = (one) => one.board.outliers[state.reference];
const isFlagged = (one, place) => outliersOf(one)?.flagged[place] === 1;

function yesOrNo(flag) {
  return flag === null ? UNDEFINED : flag ? "yes" : "no";
}

function showOutliers(found, order) {
  const known = found.filter(outliersOf);
  byId("outliers-section").hidden = !known.length;
  const many = known.length > 1;
  const names = many ? DISPLACED_SHORT : Object.keys(DISPLACED);
  const {heading} = data.references[state.reference] ?? {};
  const columns = known.flatMap((one) => names.map((name) => ({
    label: namedIf(many, one) + (name === "reference_rank" ? heading : data.outlierColumns[name].label),
    help: data.outlierColumns[name].help,
    text: (place) => DISPLACED[name](outliersOf(one), name, place),
  })));
  const displaced = mostDisplaced(known, order);
  fill(byId("outliers"), [{label: "Run", text: runButton}, ...columns], displaced);
  byId("ringed").hidden = !displaced.length;
  const said = known.flatMap((one) => outliersOf(one).said
    .map((number) => namedIf(many, one) + data.notes[number]));
  const notes = known.flatMap((one) => outliersOf(one).notes.map((number) => data.notes[number]));
  const none = displaced.length ? [] : ["No run that is shown has a rank both here and in the reference."];
  byId("outliers-said").replaceChildren(...[...none, ...said, ...new Set(notes)].map((sentence) => cell("li", sentence)));
}

// The runs that some mode displaces most come first.
function mostDisplaced(known, order) {
  const moves = (place) => known.map((one) => outliersOf(one).rank_displacement[place]).filter((moved) => moved !== null);
  const most = new Map(order.map((place) => [place, Math.max(...moves(place).map(Math.abs))]));
  return order.filter((place) => most.get(place) >= 0).sort((a, b) => most.get(b) - most.get(a));
}
