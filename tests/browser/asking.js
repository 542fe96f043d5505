// window.unanswered: whether the server still has to answer what the page asked last, as their messages tell.
(() => {
  const [RERUN, NEW_SESSION, FINISHED, EARLY] = [11, 4, 6, 2]; // fields of Streamlit's messages; ended for another run
  const {send} = WebSocket.prototype;
  const heard = new WeakSet();
  let begun = true;
  window.unanswered = false;

  // What a message says: its first field after those of its head, and the value of a field that is a number.
  function said(bytes) {
    let at = 0;
    const number = () => {
      for (let found = 0, shift = 0; ; shift += 7) {
        const byte = bytes[at++];
        found |= (byte & 127) << shift;
        if (byte < 128 || byte === undefined) return found;
      }
    };
    while (at < bytes.length) {
      const tag = number(), value = number();
      if (tag >> 3 > 2) return [tag >> 3, value];
      at += value;
    }
    return [0, 0];
  }

  function hear({data}) {
    const [field, value] = said(new Uint8Array(data));
    if (field === NEW_SESSION) begun = true;
    else if (field === FINISHED && value !== EARLY && begun) window.unanswered = false;
  }

  WebSocket.prototype.send = function (bytes) {
    if (said(bytes)[0] === RERUN) {
      if (!heard.has(this)) this.addEventListener('message', hear);
      heard.add(this);
      begun = false;
      window.unanswered = true;
    }
    send.call(this, bytes);
  };
})();
