// Text from outside, made safe for a terminal, a log line and a table cell.

/**
 * C0 and C1 controls, the separators that end lines, and the marks that change the direction of text: they move the cursor, colour what
 * follows, forge lines, or show text in another order than it has.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Writes each control character as `\u001b`, in the form that JSON uses too. */
export const printable = (text: string): string => text.replaceAll(CONTROLS, escaped);

/** The same for text of several lines, which stay lines. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');
