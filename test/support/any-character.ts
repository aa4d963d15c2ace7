// Any Unicode character, for random strings. Draws the same characters as fast-check's unit `binary`, which first builds a table of all of
// them: seconds and a hundred megabytes in every process.
import fc from 'fast-check';

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;
const LAST = 0x10_ffff - SURROGATES;

const character = (index: number): string =>
  String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES);

/** @throws Error unless the value is one character, as fast-check requires. */
function positionOf(value: unknown): number {
  const code = typeof value === 'string' ? value.codePointAt(0) : undefined;
  const index = code === undefined || code < FIRST_SURROGATE ? code : code - SURROGATES;
  if (index === undefined || character(index) !== value) throw new Error('not one character');
  return index;
}

export const anyCharacter = fc.nat({ max: LAST }).map(character, positionOf);
