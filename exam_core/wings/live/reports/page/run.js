// One run by query

async function showRun(found) {
  byId("run-section").hidden = !state.run;
  if (!state.run) return;
  values ??= await unpacked("values").json();
  byId("run-heading").textContent = `Values by query of ${state.run}`;
  const valueOf = (one, query) => {
    const {numbers, at} = values.boards[one.number];
    const place = at[state.run]?.[query] ?? -1;
    return place < 0 ? null : numbers[place];
  };
  const columns = [{label: "Query", text: (query) => values.queries[query]},
    ...found.map((one) => ({label: nameOf(one), text: (query) => shown(valueOf(one, query))}))];
  fill(byId("run"), columns, values.queries.map((_, place) => place));
}
