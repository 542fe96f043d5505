// The chart

const LONGEST = 24;
// No button sends a chart to Plotly's servers, and none marks points, which nothing reads.
const SETTINGS = {responsive: true, displaylogo: false,
  modeBarButtonsToRemove: ["sendChartToCloud", "select2d", "lasso2d"]};

// Plotly reads some markup in names: what could be markup is written as characters.
const asText = (name) => name.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const shortened = (name) => asText(name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name);

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// The least and the largest score that the chart can show, or null.
const boundsOf = () => (state.view === "raw" ? data.measures[state.measure].bounds : [null, null]);

function barsOf(one, order) {
  const look = {type: "data", thickness: 1.2, width: 2};
  if (state.view !== "ranks") {
    const [values, errors] = VIEWS[state.view].map((name) => one.board[name]);
    const [least, most] = boundsOf();
    const cut = (place, room) => (errors[place] === null ? null : Math.min(errors[place], room));
    return {
      ...look,
      array: order.map((place) => cut(place, (most ?? Infinity) - values[place])),
      arrayminus: order.map((place) => cut(place, values[place] - (least ?? -Infinity))),
    };
  }
  const {rank, rank_low: low, rank_high: high} = one.board;
  const known = (place) => low[place] !== null && rank[place] !== null;
  return {
    ...look,
    array: order.map((place) => (known(place) ? high[place] - rank[place] : null)),
    arrayminus: order.map((place) => (known(place) ? rank[place] - low[place] : null)),
  };
}

function traceOf(one, order, lines) {
  const [value, error] = VIEWS[state.view];
  const ranks = state.view === "ranks";
  const mode = data.modes[one.mode];
  return {
    type: "scatter",
    mode: lines ? "markers+lines" : "markers",
    name: asText(mode.name),
    x: order.map((place) => data.runs[place]),
    y: order.map((place) => one.board[value][place]),
    error_y: barsOf(one, order),
    customdata: order.map((place) => [asText(data.runs[place]), ...["rankTexts", "rankIntervals"]
      .map((list) => data.texts[one.board[list]][place]), ranks ? "" : shown(one.board[error][place])]),
    hovertemplate: `%{customdata[0]}<br>${ranks ? "" : "%{y:.3f} ± %{customdata[3]}<br>"}rank %{customdata[1]}` +
      ", 95% rank interval %{customdata[2]}<extra>%{fullData.name}</extra>",
    line: {width: 1, dash: mode.dash, color: mode.color},
    marker: {symbol: mode.symbol, size: 8, color: mode.color,
      line: {color: colour("--ink"), width: order.map((place) => (isFlagged(one, place) ? 2 : 0))}},
    offsetgroup: String(one.mode),
    cliponaxis: false,
  };
}

function layoutOf(found, order) {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const [minallowed, maxallowed] = boundsOf();
  const line = {gridcolor: colour("--line"), linecolor: colour("--line"), zeroline: false, automargin: true};
  return {
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: {color: colour("--ink"), family: "system-ui, sans-serif", size: 0.75 * rem},
    modebar: {bgcolor: "rgba(0,0,0,0)", color: colour("--ink"), activecolor: colour("--ink")},
    hoverlabel: {bgcolor: colour("--ground"), bordercolor: colour("--line"), font: {color: colour("--ink")}},
    height: Math.round(25 * rem),
    // A sheet is narrower than the screen, and its width is not known here: A4, or letter.
    ...(matchMedia("print").matches ? {width: 680} : {autosize: true}),
    margin: {l: 10, r: 10, t: 40, b: 10},
    legend: {orientation: "h", y: 1.02, yanchor: "bottom", x: 0},
    showlegend: found.length > 1,
    scattermode: "group",
    scattergap: 0.5,
    xaxis: {...line, showgrid: false, type: "category", tickangle: order.length > 24 ? -90 : -60,
      tickvals: order.map((place) => data.runs[place]), ticktext: order.map((place) => shortened(data.runs[place]))},
    yaxis: {...line, minallowed, maxallowed, title: {text: found.length ? `${found[0].board.heading}<br>${data.charts[state.view].axis}` : ""},
      ...(state.view === "ranks" ? {autorange: "reversed", autorangeoptions: {clipmin: 0.5}} : {})},
    uirevision: `${state.view} ${order.length}`,
  };
}

function showChart(found, order) {
  const traces = found.map((one) => traceOf(one, order, found.length > 1));
  const names = found.map((one) => one.board.title).join("; ");
  byId("chart").setAttribute("aria-label", `${data.charts[state.view].said} of ${order.length} runs by ${names}; the table below has them.`);
  drawing = () => Plotly.react("chart", traces, layoutOf(found, order), SETTINGS);
  if (window.Plotly) drawing();
}
