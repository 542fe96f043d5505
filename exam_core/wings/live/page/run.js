// One run by query

// Back to the run in the leaderboard
async function closeRun() {
  const {run} = state;
  await change({run: "", query: ""});
  [...byId("board").querySelectorAll("tbody button")].find((button) => button.textContent === run)?.focus();
}

async function showRun(found) {
  byId("run-section").hidden = !state.run;
  if (!state.run) return;
  const asked = state;
  await readValues();
  if (asked !== state) return;
  byId("run-heading").textContent = `Values by query of ${state.run}`;
  const run = data.runs.indexOf(state.run);
  const valueOf = (one, query) => values.lists[values.boards[one.number][run]][query];
  const columns = [{label: "Query", text: queryButton},
    ...found.map((one) => ({label: nameOf(one), text: (query) => ofThousandths(valueOf(one, query))}))];
  fill(byId("run"), columns, values.queries.map((_, place) => place));
  await showPassages();
}
