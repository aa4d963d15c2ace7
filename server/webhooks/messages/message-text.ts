// Text of others made harmless for chat: no mention, no link, no markup comes from a name, and nothing is cut in the middle of a character.

/** Keeps a mention, command, tag or address from being recognised; invisible. */
const JOINER = '\u2060';
/** Control characters, and those that reorder the text after them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: names may contain them
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** The text without anything that a chat turns into a mention, a command or a link. */
export const inert = (text: string): string =>
  text
    .toWellFormed()
    .replace(UNSAFE, '')
    .replace(/\s+/g, ' ')
    .replace(/([@#/$!])(?=[\p{L}\p{N}_&!])/gu, `$1${JOINER}`)
    .replace(/:(?=\/\/)/g, `:${JOINER}`)
    .replace(/(?<=[\p{L}\p{N}-])\.(?=\p{L}{2})/gu, `.${JOINER}`);

const CUT = '…';
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

export interface Fit {
  readonly max: number;
  /** What the limit counts; default: UTF-16 code units. */
  readonly lengthOf?: (text: string) => number;
  /** Markup of the target, which the limit counts too; default: none. */
  readonly escaped?: (text: string) => string;
}

/** The escaped text, cut between characters so that it is at most `max` long; the end of a text that was cut is `…`. */
export function fitted(text: string, { max, lengthOf = units, escaped = same }: Fit): string {
  const sound = text.toWellFormed();
  const whole = escaped(sound);
  if (lengthOf(whole) <= max) return whole;
  const parts: string[] = [];
  let left = max - lengthOf(CUT);
  for (const { segment } of graphemes.segment(sound)) {
    const part = escaped(segment);
    left -= lengthOf(part);
    if (left < 0) break;
    parts.push(part);
  }
  return `${parts.join('').trimEnd()}${CUT}`;
}

const same = (text: string): string => text;
const units = (text: string): number => text.length;

/** Bytes of a text inside JSON. */
export const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;
