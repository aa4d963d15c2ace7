// What a service sends is printed to a terminal: texts of others must not move its cursor, colour what follows, or forge a line.

/** Controls but tabs and line ends, the other ends of lines, and the marks that change the direction of text. */
const CONTROLS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Writes each as `\u001b`, which inside JSON is the same text. */
export const printable = (text: string): string =>
  text.replaceAll(CONTROLS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
