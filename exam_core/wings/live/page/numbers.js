// Numbers as the command line prints them: halves that a double holds exactly go to the even digit.

const UNDEFINED = "-";

function shown(value, digits = 3) {
  if (value === null || value === undefined) return UNDEFINED;
  const doubled = value * 2 ** (digits + 1);
  if (Number.isInteger(doubled) && doubled % 2 !== 0) {
    const below = Math.floor(value * 10 ** digits);
    return ((below % 2 === 0 ? below : below + 1) / 10 ** digits).toFixed(digits);
  }
  return value.toFixed(digits);
}

// What is stored in thousandths has been rounded already.
function ofThousandths(value) {
  return value === null || value === undefined ? UNDEFINED : (value / 1000).toFixed(3);
}

function plain(value) {
  return value === null || value === undefined ? UNDEFINED : String(value);
}

function percent(value) {
  return value === null || value === undefined ? UNDEFINED : `${shown(100 * value, 1)}%`;
}

const signed = (value) => (value > 0 ? `+${value}` : plain(value));
const signedTenths = (value) => (value < 0 || value === null ? "" : "+") + shown(value, 1);
const between = (ends) => (ends ? ` [${shown(ends[0])}, ${shown(ends[1])}]` : "");
