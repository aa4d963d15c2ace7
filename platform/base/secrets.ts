// Finds secrets in text that others wrote and replaces them by their names. Services repeat a key in errors, links and bodies: as it was
// sent, escaped for a URL, JSON or HTML, in hex, or in base64 as part of a longer text, as in basic authentication.

export interface Scrubber {
  text(text: string): string;
  /** The same bytes when they hold no secret. */
  bytes(bytes: Buffer): Buffer;
}

/** Shorter values are no secrets: they can be guessed, and would be found everywhere. */
export const SHORTEST_SECRET = 4;
/** Shorter values are looked for as they are and escaped. In hex and base64 they would be found by chance, and data would be changed. */
const SHORTEST_ENCODED = 8;
/** Parts of a value that is an address or a pair, such as `user:password`, are secrets of their own from this length on. */
const SHORTEST_PART = 12;

export const NO_SECRETS: Scrubber = { text: (text) => text, bytes: (bytes) => bytes };

/** `secrets` are values by the name that is shown instead, such as that of their environment variable. */
export const scrubberOf = (secrets: { readonly [name: string]: string }): Scrubber =>
  scrubberOfPairs(Object.entries(secrets));

/** The same for several values of one name. */
export function scrubberOfPairs(secrets: readonly (readonly [name: string, value: string])[]): Scrubber {
  const all = secrets
    .flatMap(([name, value]) => partsOf(value).map((part) => ({ name, part })))
    .filter(({ part }) => part.length >= SHORTEST_SECRET)
    // A longer secret can contain a shorter one.
    .sort((a, b) => b.part.length - a.part.length);
  if (all.length === 0) return NO_SECRETS;
  const each = new RegExp(all.map(({ part }) => `(${formsOf(part, true).join('|')})`).join('|'), 'g');
  // Without the neighbours, which only a match needs, the search is several times faster.
  const any = all.map(({ part }) => new RegExp(formsOf(part, false).join('|')));
  const nameOf = (groups: readonly unknown[]) =>
    `\${${all[groups.findIndex((group) => group !== undefined)]?.name ?? ''}}`;
  const clean = (latin1: string) =>
    latin1.replaceAll(each, (_, ...rest: unknown[]) => nameOf(rest.slice(0, all.length)));
  // Bytes are read as Latin-1, in which every byte is a character: no encoding can hide a secret, and other bytes stay as they are.
  const bytes = (given: Buffer): Buffer => {
    const latin1 = given.toString('latin1');
    return any.some((one) => one.test(latin1)) ? Buffer.from(clean(latin1), 'latin1') : given;
  };
  return {
    bytes,
    text(given) {
      const before = Buffer.from(given);
      const after = bytes(before);
      return after === before ? given : after.toString('utf8');
    },
  };
}

/** The value, the text that it holds in base64, and the long parts of both. */
function partsOf(value: string): readonly string[] {
  const decoded = pairIn(value);
  const wholes = decoded === null ? [value] : [value, decoded];
  const parts = wholes
    .flatMap((whole) => whole.split(/[/?&=:@;,\s]+/))
    .filter((part) => part.length >= SHORTEST_PART);
  const passwords = wholes.flatMap((whole) => /^[^:/]+:(.{8,})$/s.exec(whole)?.[1] ?? []);
  return [...new Set([...wholes, ...parts, ...passwords])];
}

/** The `user:password` that a value for basic authentication holds. */
function pairIn(value: string): string | null {
  if (!/^[A-Za-z0-9+/_-]{8,}={0,2}$/.test(value)) return null;
  const text = Buffer.from(value, 'base64').toString('latin1');
  return /^[\x20-\x7e]+:[\x20-\x7e]+$/.test(text) ? text : null;
}

function formsOf(secret: string, hasNeighbours: boolean): readonly string[] {
  const written = [...secret].map((character) => writtenForms(character, secret.length)).join('');
  if (secret.length < SHORTEST_ENCODED) return [written];
  const bytes = Buffer.from(secret);
  const hex = [...bytes.toString('hex')].map(anyCase).join('');
  return [written, hex, ...[0, 1, 2].map((shift) => base64Form(bytes, shift, hasNeighbours))];
}

const hexOf = (code: number, digits: number) =>
  [...code.toString(16).padStart(digits, '0')].map(anyCase).join('');

const literal = (character: string) => character.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&');

/** Hosts are lower case in messages, and hex digits are of either case. */
const anyCase = (character: string): string =>
  /[a-z]/i.test(character) ? `[${character.toLowerCase()}${character.toUpperCase()}]` : literal(character);

const ENTITIES: { readonly [character: string]: string } = {
  '&': 'amp',
  '"': 'quot',
  "'": 'apos',
  '<': 'lt',
  '>': 'gt',
};

/** A character as it is, or escaped once or more: `%2B`, `%252B`, `\u002b`, `\/`, `&#43;`, `&amp;`, and `+` for a space. */
function writtenForms(character: string, secretLength: number): string {
  const isLong = secretLength >= SHORTEST_ENCODED;
  const bytes = [...Buffer.from(character)];
  const plain =
    isLong && bytes.length === 1
      ? anyCase(character)
      : bytes.map((byte) => literal(String.fromCharCode(byte))).join('');
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  const code = character.codePointAt(0) ?? 0;
  const entity = ENTITIES[character];
  const forms = [
    /[A-Za-z0-9]/.test(character) ? plain : `\\\\*${plain}`,
    bytes.map((byte) => `%(?:25)*${hexOf(byte, 2)}`).join(''),
    units.map((unit) => `\\\\+u${hexOf(unit, 4)}`).join(''),
    `&(?:amp;)*#0*${code};`,
    `&(?:amp;)*#[xX]0*${hexOf(code, 1)};`,
    ...(entity === undefined ? [] : [`&(?:amp;)*${entity};`]),
    ...(character === ' ' ? ['\\+'] : []),
    ...(character === '\n' ? ['\\\\+n'] : []),
    ...(character === '\t' ? ['\\\\+t'] : []),
  ];
  return `(?:${forms.join('|')})`;
}

const BASE64 = '[A-Za-z0-9+/_-]';

/**
 * The secret inside a longer text in base64, `shift` bytes after a group of three began: the characters that it alone decides, and the
 * neighbours that it decides in part.
 */
function base64Form(secret: Buffer, shift: number, hasNeighbours: boolean): string {
  const text = Buffer.concat([Buffer.alloc(shift), secret])
    .toString('base64')
    .replaceAll('=', '');
  const [from, to] = [Math.ceil((shift * 8) / 6), Math.floor(((shift + secret.length) * 8) / 6)];
  const core = [...text.slice(from, to)].map(base64Character).join('');
  if (!hasNeighbours) return core;
  const before = from === 0 ? '' : `${BASE64}{0,${from}}`;
  return `${before}${core}${to === text.length ? '' : `${BASE64}?`}`;
}

/** Either alphabet, and as a URL or JSON escapes it. */
const base64Character = (character: string): string => {
  if (character === '+') return '(?:[+-]|%2[bB]|\\\\+u002[bB])';
  if (character === '/') return '(?:\\\\*/|_|%2[fF]|\\\\+u002[fF])';
  return character;
};
