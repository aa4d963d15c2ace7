// The origin of a figure: the request and the location in its response, written next to the figure as `data-from`, so that a reader, a
// script or a test can look it up.
import { nothing } from 'lit-html';

interface Place {
  readonly address: string;
  readonly pointer: string;
}

export type Origin = string | typeof nothing;

const places = new WeakMap<object, Place>();

/** Records the location of every object and list in a response. */
export function locate(value: unknown, place: Place): void {
  if (typeof value !== 'object' || value === null) return;
  places.set(value, place);
  for (const [name, member] of Object.entries(value))
    if (typeof member === 'object') locate(member, { ...place, pointer: pointerTo(place, name) });
}

const pointerTo = ({ pointer }: Place, name: string): string =>
  `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** `/v2/pegs#/data/0/price` for a member of an object; a path such as `price.last` reaches nested objects. Nothing for computed values. */
export function from(holder: object | null | undefined, path: string | number): Origin {
  const place = holder === null || holder === undefined ? undefined : places.get(holder);
  if (place === undefined) return nothing;
  const names = typeof path === 'number' ? [String(path)] : path.split('.');
  return `${place.address}#${names.reduce((pointer, name) => pointerTo({ ...place, pointer }, name), place.pointer)}`;
}

/** The location of a list whose length is the figure. */
export const lengthOf = (list: object): Origin => {
  const place = places.get(list);
  return place === undefined ? nothing : `${place.address}#${place.pointer}`;
};
