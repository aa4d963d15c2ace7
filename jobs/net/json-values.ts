// Counts the values of a body before it is parsed: each of them takes memory, and a small body can hold millions.

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, OPEN_OBJECT, NEWLINE] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b, 0x0a];

/** Members, elements, lists and objects at any depth of JSON; cells of other formats. At most, because empty lists count too. */
export function valuesIn(bytes: Uint8Array, format: 'json' | 'ndjson' | 'csv'): number {
  const isJson = format !== 'csv';
  let values = 1;
  let isText = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (isJson && byte === QUOTE) isText = !isText;
    else if (isText) {
      if (byte === BACKSLASH) at += 1;
    } else if (byte === COMMA || byte === NEWLINE) values += 1;
    else if (isJson && (byte === OPEN_LIST || byte === OPEN_OBJECT)) values += 1;
  }
  return values;
}
