// Text from outside, made safe for a terminal, a log line and a table cell, and fit for the messages that quote it.

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

// Faults for readers elsewhere: names the file and its problem, but not its folder on this machine.

/** Absolute POSIX and Windows paths. A path in a URL does not match, because a slash or a host precedes it. */
const ABSOLUTE = /(?<![\w.:/\\-])(?:\/|[A-Za-z]:[\\/])(?:[^\s'"`,;:()]+[\\/])+[^\s'"`,;:()]*/g;

/** The text with paths below `folders` made relative to them, and any other absolute path reduced to its file name. */
export function withoutPaths(text: string, folders: readonly string[]): string {
  const known = folders.toSorted((a, b) => b.length - a.length);
  const relative = known.reduce((message, folder) => message.replaceAll(`${folder}/`, ''), text);
  return relative.replace(ABSOLUTE, (path) => path.split(/[\\/]/).at(-1) ?? '');
}

// Messages are sentences: what they quote from other programs often is not one.

/** With a full stop at its end, unless it ends a sentence already. */
export const sentence = (text: string): string => (/[.?!…]$/.test(text) ? text : `${text}.`);
