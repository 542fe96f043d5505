// What is taken away: texts into the clipboard, tables and the chart as files

// A cell that a spreadsheet would take for a formula gets an apostrophe in front.
function csvCell(text) {
  const guarded = /^'*[=+\-@\t\r]/.test(text) && !/^[-+]?[\d.]+$/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}

// Collection, measure, tau and up to three grading modes, as the dashboard names its files.
function fileStem() {
  const found = boards();
  const taus = [...new Set(found.map((one) => one.board.tau).filter((tau) => tau !== null))].sort((a, b) => a - b);
  const parts = [data.collection, data.measures[state.measure].id, taus.length ? `tau${taus.join("-")}` : "",
    ...(found.length <= 3 ? found.map(nameOf) : [])];
  const named = parts.map((part) => part.replace(/[^\p{L}\p{N}_]+/gu, "-").replace(/^-+|-+$/g, ""));
  return named.filter((part) => part).join("-");
}

function saveFile(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `${fileStem()}-${name}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

function saveTable(id) {
  fillRest();
  const lines = [...byId(id).rows].map((row) => [...row.cells].map((one) => csvCell(one.textContent)).join(","));
  saveFile(new Blob([`${lines.join("\r\n")}\r\n`], {type: "text/csv"}), `${id}.csv`);
}

// The chart as it is shown, on the page's ground.
async function figure(format) {
  const {data: traces, layout, clientWidth: width} = byId("chart");
  const drawn = {data: traces, layout: {...layout, paper_bgcolor: colour("--ground"), width}};
  const address = await Plotly.toImage(drawn, {format, width, height: layout.height, scale: format === "png" ? 2 : 1});
  const [head, body] = address.split(/,(.*)/s);
  if (!head.endsWith("base64")) return new Blob([decodeURIComponent(body)], {type: "image/svg+xml"});
  return new Blob([Uint8Array.from(atob(body), (letter) => letter.charCodeAt(0))], {type: "image/png"});
}

const saveFigure = async (format) => saveFile(await figure(format), `leaderboard_chart.${format}`);

const tell = (sentence) => { byId("copied").textContent = sentence; };

async function copied(write, otherwise) {
  try {
    await write();
    tell("Copied.");
  } catch {
    tell(otherwise);
  }
}

const copyText = (text, otherwise) => copied(() => navigator.clipboard.writeText(text), otherwise);
const copyLink = () => copyText(location.href, `Copy the address: ${location.href}`);
const copyFigure = () => copied(() => navigator.clipboard.write([new ClipboardItem({"image/png": figure("png")})]),
  "This browser can't copy pictures. Save the figure as a file.");
const copyFrom = (id) => copyText(byId(id).innerText, "This browser lets no page copy. Select the text and copy it yourself.");
