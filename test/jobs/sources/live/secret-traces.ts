// Looks for a secret in text without knowing how it was hidden: undoes every usual encoding, again and again, and looks for its parts.

/** Parts of this length betray a secret: they are not written by chance. */
const PART = 8;

const UNDONE: readonly ((text: string) => string)[] = [
  (text) => text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (one) => bytesText(one.replaceAll('%', ''), 'hex')),
  (text) =>
    text.replaceAll(/\\+u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
  (text) => text.replaceAll(/\\+(["/\\])/g, '$1'),
  (text) =>
    text.replaceAll(/&#x([0-9a-f]+);/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16))),
  (text) => text.replaceAll(/&#(\d+);/g, (_, digits: string) => String.fromCodePoint(Number(digits))),
  (text) =>
    text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>'),
  (text) => text.replaceAll('+', ' '),
];

const bytesText = (text: string, encoding: BufferEncoding) => Buffer.from(text, encoding).toString('utf8');

/** Whatever the text could hold: itself, and every run of hex and base64 in it, read from each of its first characters. */
function* readings(text: string): Generator<string> {
  yield text;
  for (const [run] of text.matchAll(/[0-9a-fA-F]{12,}/g)) yield Buffer.from(run, 'hex').toString('latin1');
  for (const [run] of text.matchAll(/[A-Za-z0-9+/_-]{12,}/g))
    for (let shift = 0; shift < 4; shift++) yield Buffer.from(run.slice(shift), 'base64').toString('latin1');
}

/** A part of the secret that the text betrays; null if there is none. */
export function traceOf(secret: string, text: string): string | null {
  const lower = secret.toLowerCase();
  const parts = Array.from({ length: Math.max(1, secret.length - PART + 1) }, (_, at) =>
    lower.slice(at, at + PART),
  );
  let texts = [text];
  for (let round = 0; round < 3; round++) {
    for (const one of texts)
      for (const reading of readings(one)) {
        const found = reading.toLowerCase();
        const part = parts.find((wanted) => found.includes(wanted));
        if (part !== undefined) return part;
      }
    texts = [...new Set(texts.flatMap((one) => UNDONE.map((undo) => undo(one))))];
  }
  return null;
}
