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
  const numbers = lists.map(numbersIn).filter((list) => list.some((value) => !Number.isNaN(value)));
  const marks = new Uint8Array(t.length);
  for (let stretches = max, chosen = 0; ; stretches = Math.floor((stretches * max) / (chosen + 1))) {
    marks.set(always);
    for (const list of numbers) markExtremes(marks, list, Math.max(1, stretches));
    chosen = marks.reduce((count, mark) => count + mark, 0);
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

/** The numbers of a column, NaN for anything else. */
const numbersIn = (list: readonly Json[]): Float64Array =>
  Float64Array.from(list, (value) => (typeof value === 'number' ? value : Number.NaN));

/** Marks the lowest and the highest number of each stretch. */
function markExtremes(marks: Uint8Array, list: Float64Array, stretches: number): void {
  const { length } = list;
  for (let stretch = 0; stretch < stretches; stretch++) {
    const to = Math.floor(((stretch + 1) * length) / stretches);
    let low = -1;
    let high = -1;
    for (let index = Math.floor((stretch * length) / stretches); index < to; index++) {
      const value = list[index] ?? Number.NaN;
      if (Number.isNaN(value)) continue;
      if (low < 0 || value < (list[low] ?? 0)) low = index;
      if (high < 0 || value > (list[high] ?? 0)) high = index;
    }
    if (low >= 0) marks[low] = 1;
    if (high >= 0) marks[high] = 1;
  }
}
