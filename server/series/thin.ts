// Thins a series that is too long: keeps the first and the last point, and for each stretch the points with the lowest and the highest
// value of every column, so that no outlier is lost. Points are chosen, never computed.
import type { Json } from '../../platform/base/json.ts';

export interface Points {
  readonly t: readonly number[];
  readonly columns: { readonly [name: string]: readonly Json[] };
}

export function thinned(points: Points, max: number): Points {
  const { t, columns } = points;
  if (t.length <= max) return points;
  let chosen = new Set<number>();
  for (let stretches = max; ; stretches = Math.floor((stretches * max) / (chosen.size + 1))) {
    chosen = extremes(points, Math.max(1, stretches));
    if (chosen.size <= max || stretches <= 1) break;
  }
  const positions = [...chosen].sort((a, b) => a - b).slice(0, max);
  const pick = <T>(list: readonly T[]): T[] => positions.map((index) => list[index] as T);
  return {
    t: pick(t),
    columns: Object.fromEntries(Object.entries(columns).map(([name, list]) => [name, pick(list)])),
  };
}

/** Stretches have equal numbers of points. A text or switch keeps the first point of every value in its stretch. */
function extremes({ t, columns }: Points, stretches: number): Set<number> {
  const chosen = new Set([0, t.length - 1]);
  const lists = Object.values(columns);
  for (let stretch = 0; stretch < stretches; stretch++) {
    const from = Math.floor((stretch * t.length) / stretches);
    const to = Math.floor(((stretch + 1) * t.length) / stretches);
    for (const list of lists) for (const index of notable(list, from, to)) chosen.add(index);
  }
  return chosen;
}

function notable(list: readonly Json[], from: number, to: number): readonly number[] {
  let [low, high] = [-1, -1];
  const changes: number[] = [];
  for (let index = from; index < to; index++) {
    const value = list[index];
    if (typeof value === 'number') {
      if (low < 0 || value < Number(list[low])) low = index;
      if (high < 0 || value > Number(list[high])) high = index;
    } else if (index > 0 && value !== list[index - 1]) changes.push(index);
  }
  return [low, high, ...changes].filter((index) => index >= 0);
}
