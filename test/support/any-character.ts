// Any character of Unicode, for random strings. It draws what the unit `binary` of fast-check draws; that one makes a table of all of them
// first, which takes seconds and a hundred megabytes in every process.
import fc from 'fast-check';

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;
const LAST = 0x10_ffff - SURROGATES;

const character = (place: number): string =>
  String.fromCodePoint(place < FIRST_SURROGATE ? place : place + SURROGATES);

/** @throws Error for anything but one character, as fast-check asks for. */
function placeOf(value: unknown): number {
  const code = typeof value === 'string' ? value.codePointAt(0) : undefined;
  const place = code === undefined || code < FIRST_SURROGATE ? code : code - SURROGATES;
  if (place === undefined || character(place) !== value) throw new Error('not one character');
  return place;
}

export const anyCharacter = fc.nat({ max: LAST }).map(character, placeOf);
