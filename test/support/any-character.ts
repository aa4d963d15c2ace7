// Any Unicode character, for random strings. Draws the same characters as fast-check's unit `binary`, which first builds a table of all of
// them: seconds and a hundred megabytes in every process.
import fc from 'fast-check';

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;
const LAST = 0x10_ffff - SURROGATES;

const character = (place: number): string =>
  String.fromCodePoint(place < FIRST_SURROGATE ? place : place + SURROGATES);

/** @throws Error unless the value is one character, as fast-check requires. */
function placeOf(value: unknown): number {
  const code = typeof value === 'string' ? value.codePointAt(0) : undefined;
  const place = code === undefined || code < FIRST_SURROGATE ? code : code - SURROGATES;
  if (place === undefined || character(place) !== value) throw new Error('not one character');
  return place;
}

export const anyCharacter = fc.nat({ max: LAST }).map(character, placeOf);
