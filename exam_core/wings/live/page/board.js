// The table of runs

// How a column is written: a number of each run, or a text that stands for it
const numbers = (format) => (board, name, place) => format(board[name][place]);
const texts = (list) => (board, name, place) => data.texts[board[list]][place];
const RANK = ["rank", texts("rankTexts")];
const SCORE = [["mean", numbers(shown)], ["stderr", numbers(shown)]];
const ONE = [RANK, ["rank_low", texts("rankIntervals")], ["tier", numbers(plain)], ...SCORE, ["normalised", numbers(shown)],
  ["normalised_stderr", numbers(shown)], ["holes", numbers(percent)], ["n_queries", numbers(plain)],
  ["unanswered", numbers(plain)]];
const SEVERAL = [...SCORE, RANK];
// By its heading, since other choices have other columns
let sorting = null;

function columnsOf(found) {
  const many = found.length > 1;
  const columns = [{label: "Run", text: (place) => runButton(place), sort: (place) => data.runs[place]}];
  const reference = found[0]?.beside && data.ranks[found[0].beside.ranks];
  found.forEach((one) => {
    const before = namedIf(many, one);
    columns.push(...(many ? SEVERAL : ONE).map(([name, write]) => ({
      label: before + data.columns[name].label,
      help: data.columns[name].help,
      text: (place) => write(one.board, name, place),
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
      label: data.references[state.reference].heading,
      text: (place) => data.texts[found[0].beside.rankTexts][place],
      sort: (place) => reference[place],
    });
  }
  return columns;
}

function runButton(place) {
  const button = cell("button", data.runs[place], {type: "button", title: "Show its values by query"});
  button.addEventListener("click", () => openAt("run-heading", {run: data.runs[place]}));
  return button;
}

function bySort({sort}, down) {
  return (a, b) => {
    const [left, right] = [sort(a), sort(b)];
    if (left === right) return 0;
    if (left === null || left === undefined) return 1;
    if (right === null || right === undefined) return -1;
    return (left < right ? -1 : 1) * (down ? -1 : 1);
  };
}

function showBoard(found, order) {
  byId("runs-section").hidden = !order.length;
  const columns = columnsOf(found);
  const column = columns.findIndex(({label}) => label === sorting?.label);
  const sorted = column < 0 ? null : {column, down: sorting.down};
  const rows = sorted ? [...order].sort(bySort(columns[column], sorted.down)) : order;
  fill(byId("board"), columns, rows, sorted, (place) => {
    sorting = {label: columns[place].label, down: column === place && !sorted.down};
    showBoard(found, order);
  });
}

// The heading, and the answer in a sentence.

function titled(found) {
  if (!found.length) return "No leaderboard";
  if (found.length === 1) return found[0].board.title;
  const named = found.map((one) => nameOf(one) + (one.board.tau === null ? "" : `, tau ${one.board.tau}`));
  return `${found[0].board.heading}: ${found.length > 4 ? `${found.length} grading modes` : named.join("; ")}`;
}

function said(found) {
  const known = found.filter((one) => one.beside && one.beside.kendall !== null && !one.beside.ofItself);
  if (!known.length) return "";
  const reference = data.references[state.reference].name;
  const told = (one, name) => `${COEFFICIENTS[name]} ${shown(one.beside[name])}${between(one.beside.ends[name])}`;
  if (found.length === 1) {
    const agreed = agreementOf(found[0].mode).find((one) => one.from === data.relevantFrom);
    const judged = (agreed?.kappa ?? null) === null ? ""
      : `; kappa with the judgments ${shown(agreed.kappa)} (${agreed.relevant})`;
    return `Against ${reference}: ${told(known[0], "spearman")}, ${told(known[0], "kendall")}${judged}.`;
  }
  const sorted = [...known].sort((a, b) => b.beside.kendall - a.beside.kendall);
  const parted = sorted.some((one) => nameOf(one).includes(","));
  const valued = (one) => (parted ? `${nameOf(one)} (${shown(one.beside.kendall)})` : `${nameOf(one)} ${shown(one.beside.kendall)}`);
  const others = sorted.slice(1).map(valued).join(parted ? "; " : ", ");
  return `Closest to ${reference}: ${nameOf(sorted[0])}, ${COEFFICIENTS.kendall} ${shown(sorted[0].beside.kendall)}` +
    `${others && `; then ${others}`}.`;
}
