// Tables: made of text alone, so that no name can become markup.

function cell(tag, content, attributes = {}) {
  const element = document.createElement(tag);
  if (content instanceof Node) element.append(content);
  else element.textContent = content;
  Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
  return element;
}

// Where the focus is in a table that is filled anew: who works by keyboard stays there.
function focusIn(table) {
  const at = table.contains(document.activeElement) && document.activeElement.closest("th, td");
  return at ? [at.parentElement.rowIndex, at.cellIndex] : [];
}

// columns: {label, help, text(row), sort(row)}; the first is the row's head. A table without rows is not shown.
function fill(table, columns, rows, sorted, choose) {
  const head = cell("tr", "");
  columns.forEach((column, place) => {
    const th = cell("th", "", {scope: "col", title: column.help ?? ""});
    if (choose && column.sort) {
      const button = cell("button", column.label, {type: "button"});
      button.addEventListener("click", () => choose(place));
      th.append(button);
      if (sorted?.column === place) th.setAttribute("aria-sort", sorted.down ? "descending" : "ascending");
    } else {
      th.textContent = column.label;
    }
    head.append(th);
  });
  const body = rows.map((row) => {
    const line = cell("tr", "");
    columns.forEach((column, place) => {
      const content = column.text(row);
      line.append(place ? cell("td", content) : cell("th", content, {scope: "row", dir: "auto"}));
    });
    return line;
  });
  const [caption, [row, column]] = [table.caption, focusIn(table)];
  table.replaceChildren(...(caption ? [caption] : []), cell("thead", head), cell("tbody", ""));
  table.tBodies[0].append(...body);
  table.rows[row]?.cells[column]?.querySelector("button")?.focus({preventScroll: true});
  const box = table.closest(".table");
  if (box) box.hidden = !rows.length;
}
