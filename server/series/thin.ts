// Thins a series that is too long: keeps the first and the last point, and for each stretch the points with the lowest and the highest
// value of every column, so that no outlier is lost. Points are chosen, never computed.
import type { Json } from '../../platform/base/json.ts';

export interface Points {
  readonly t: readonly number[];
  readonly columns: { readonly [name: string]: readonly Json[] };
}

/** Stretches have equal numbers of points. A series that is hardly too long needs some twenty rounds until they are long enough. */
export function thinned(points: Points, max: number): Points {
  const { t, columns } = points;
  if (t.length <= max) return points;
  const lists = Object.values(columns);
  const always = alwaysKept(lists, t.length);
  const numbers = differentNumbers(lists);
  const marks = new Uint8Array(t.length);
  for (let stretches = max, chosen = 0; ; stretches = Math.floor((stretches * max) / (chosen + 1))) {
    marks.set(always);
    const ends = endsOf(Math.max(1, stretches), t.length);
    for (const list of numbers) markExtremes(marks, list, ends);
    chosen = countOf(marks);
    if (chosen <= max || stretches <= 1) break;
  }
  const positions = [...marks.keys()].filter((index) => marks[index] === 1).slice(0, max);
  const pick = <T>(list: readonly T[]): T[] => positions.map((index) => list[index] as T);
  return {
    t: pick(t),
    columns: Object.fromEntries(Object.entries(columns).map(([name, list]) => [name, pick(list)])),
  };
}

/** The first and the last point, and each at which a text, a switch or a missing value begins. */
function alwaysKept(lists: readonly (readonly Json[])[], length: number): Uint8Array {
  const marks = new Uint8Array(length);
  marks[0] = 1;
  marks[length - 1] = 1;
  for (const list of lists)
    list.forEach((value, index) => {
      if (index > 0 && typeof value !== 'number' && value !== list[index - 1]) marks[index] = 1;
    });
  return marks;
}

/** The columns with numbers, each once: of an hour with one point, the last, the lowest and the highest value are the same. */
function differentNumbers(lists: readonly (readonly Json[])[]): readonly Float64Array[] {
  const different: Float64Array[] = [];
  for (const list of lists) {
    const numbers = numbersIn(list);
    if (numbers !== undefined && !different.some((other) => isSame(other, numbers))) different.push(numbers);
  }
  return different;
}

/** The numbers of a column, NaN for anything else; undefined if it has none. */
function numbersIn(list: readonly Json[]): Float64Array | undefined {
  const numbers = new Float64Array(list.length).fill(Number.NaN);
  let hasAny = false;
  for (let index = 0; index < list.length; index++) {
    const value = list[index];
    if (typeof value !== 'number') continue;
    numbers[index] = value;
    hasAny = true;
  }
  return hasAny ? numbers : undefined;
}

const isSame = (left: Float64Array, right: Float64Array): boolean =>
  left.every((value, index) => Object.is(value, right[index]));

function countOf(marks: Uint8Array): number {
  let count = 0;
  for (let index = 0; index < marks.length; index++) count += marks[index] as number;
  return count;
}

/** Position at which each of so many stretches ends. */
function endsOf(stretches: number, length: number): Uint32Array {
  const ends = new Uint32Array(stretches);
  for (let stretch = 0; stretch < stretches; stretch++)
    ends[stretch] = Math.floor(((stretch + 1) * length) / stretches);
  return ends;
}

/** Marks the lowest and the highest number of each stretch. NaN is neither. */
function markExtremes(marks: Uint8Array, list: Float64Array, ends: Uint32Array): void {
  let index = 0;
  for (let stretch = 0; stretch < ends.length; stretch++) {
    const end = ends[stretch] as number;
    let low = -1;
    let high = -1;
    let lowest = Number.POSITIVE_INFINITY;
    let highest = Number.NEGATIVE_INFINITY;
    for (; index < end; index++) {
      const value = list[index] as number;
      if (value < lowest) {
        lowest = value;
        low = index;
      }
      if (value > highest) {
        highest = value;
        high = index;
      }
    }
    if (low >= 0) marks[low] = 1;
    if (high >= 0) marks[high] = 1;
  }
}
