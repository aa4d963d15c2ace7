// Numbers as they are published: rounded half away from zero, and parts that still add up after rounding.

/** 2⁵²: a double below this represents halves exactly. */
const MAX_UNITS = 4_503_599_627_370_496;

/** Digits after the point: USD and hours 2, probabilities, shares and rates 6. */
export const roundTo = (value: number, digits: number): number => {
  const factor = powerOfTen(digits);
  const size = Math.abs(value) * factor;
  if (!(size < MAX_UNITS)) return value;
  const rounded = Math.floor(size + 0.5) / factor;
  return value < 0 && rounded > 0 ? -rounded : rounded;
};

export const usd = (value: number): number => roundTo(value, 2);
export const share = (value: number): number => roundTo(value, 6);

/**
 * Parts rounded so that they add up, in the last digit, to the rounded total: the parts that were rounded down the most are rounded up
 * (largest remainder). Equal remainders are resolved in the order given. Parts must add up to the total before rounding.
 */
export function roundParts(total: number, parts: readonly number[], digits: number): readonly number[] {
  const factor = unitsPerOne([total, ...parts], digits);
  const floors = parts.map((part) => Math.floor(part * factor));
  const missing = Math.floor(total * factor + 0.5) - floors.reduce((sum, floor) => sum + floor, 0);
  const byRemainder = parts
    .map((part, index) => ({ index, remainder: part * factor - (floors[index] ?? 0) }))
    .sort((a, b) => b.remainder - a.remainder || a.index - b.index);
  const raised = new Set(byRemainder.slice(0, Math.max(0, missing)).map(({ index }) => index));
  return floors.map((floor, index) => (floor + (raised.has(index) ? 1 : 0)) / factor + 0);
}

/** Sums in whole units must stay below 2⁵³; larger amounts are rounded to ones. */
function unitsPerOne(values: readonly number[], digits: number): number {
  const size = values.reduce((sum, value) => sum + Math.abs(value), 0);
  const factor = powerOfTen(digits);
  return size * factor < MAX_UNITS ? factor : 1;
}

function powerOfTen(digits: number): number {
  let factor = 1;
  for (let index = 0; index < digits; index++) factor *= 10;
  return factor;
}
