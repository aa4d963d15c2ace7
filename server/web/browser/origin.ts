// The origin of a figure: the request and the location in its response, written next to the figure as `data-from`, so that a reader, a
// script or a test can look it up.
import { nothing } from 'lit-html';

interface OriginPointer {
  readonly address: string;
  readonly pointer: string;
}

export type Origin = string | typeof nothing;

const positions = new WeakMap<object, OriginPointer>();

/** Records the location of every object and list in a response. */
export function locate(value: unknown, origin: OriginPointer): void {
  if (typeof value !== 'object' || value === null) return;
  positions.set(value, origin);
  for (const [name, member] of Object.entries(value))
    if (typeof member === 'object') locate(member, { ...origin, pointer: pointerTo(origin, name) });
}

const pointerTo = ({ pointer }: OriginPointer, name: string): string =>
  `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** `/v2/pegs#/data/0/price` for a member of an object; a path such as `price.last` reaches nested objects. Nothing for computed values. */
export function from(holder: object | null | undefined, path: string | number): Origin {
  const origin = holder === null || holder === undefined ? undefined : positions.get(holder);
  if (origin === undefined) return nothing;
  const names = typeof path === 'number' ? [String(path)] : path.split('.');
  return `${origin.address}#${names.reduce((pointer, name) => pointerTo({ ...origin, pointer }, name), origin.pointer)}`;
}

/** The location of a list whose length is the figure. */
export const lengthOf = (list: object): Origin => {
  const origin = positions.get(list);
  return origin === undefined ? nothing : `${origin.address}#${origin.pointer}`;
};
