// What the reader has chosen. Everything but the key is in the address, so that a link restores it; the key stays in this tab.
const KEY_NAME = 'api-key';

type Listener = () => void;
const listeners = new Set<Listener>();
let known = keyOfLink() ?? sessionStorage.getItem(KEY_NAME) ?? undefined;

/** A link may contain a key in `#key=`, which is never sent to a server. It is removed from the address. */
function keyOfLink(): string | undefined {
  const given = new URLSearchParams(location.hash.slice(1)).get('key');
  if (given === null) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  sessionStorage.setItem(KEY_NAME, given);
  return given;
}

addEventListener('hashchange', () => {
  const given = keyOfLink();
  if (given !== undefined) setKey(given);
});
addEventListener('popstate', () => announce());

/** Why the service refused the key, in its words. Everything is then as it is without a key. */
let refusal: string | undefined;

export const apiKey = (): string | undefined => (refusal === undefined ? known : undefined);
export const keyRefusal = (): string | undefined => refusal;

/** `key` is the one that was sent. */
export function refuseKey(key: string, reason: string): void {
  if (key !== apiKey()) return;
  refusal = reason;
  announce();
}

export function setKey(key: string | undefined): void {
  known = key;
  refusal = undefined;
  if (key === undefined) sessionStorage.removeItem(KEY_NAME);
  else sessionStorage.setItem(KEY_NAME, key);
  announce();
}

/** A parameter of the address; undefined when it is absent or empty. */
export const param = (name: string): string | undefined =>
  new URLSearchParams(location.search).get(name) || undefined;

/** The moment that the whole dashboard shows; undefined for now. */
export const asOf = (): string | undefined => param('as_of');

/** Changes parameters of the address; undefined removes one. */
export function setParams(changes: Readonly<Record<string, string | undefined>>, keepsPlace = true): void {
  const target = here(changes);
  if (keepsPlace) history.replaceState(null, '', target);
  else history.pushState(null, '', target);
  announce();
}

/** What `setParams` would change the address to. */
export const here = (changes: Readonly<Record<string, string | undefined>>): string =>
  location.pathname + search(changes, new URLSearchParams(location.search));

/** Changes what lists contain: they start again at their first pages. */
export function choose(changes: Readonly<Record<string, string | undefined>>, keepsPlace = true): void {
  const cursors = [...new URLSearchParams(location.search).keys()].filter((name) => /cursor\]?$/.test(name));
  setParams({ ...Object.fromEntries(cursors.map((name) => [name, undefined])), ...changes }, keepsPlace);
}

/** A link to a page of the dashboard at the same moment. */
export function link(path: string, params: Readonly<Record<string, string | undefined>> = {}): string {
  return path + search({ as_of: asOf(), ...params }, new URLSearchParams());
}

function search(changes: Readonly<Record<string, string | undefined>>, params: URLSearchParams): string {
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') params.delete(name);
    else params.set(name, value);
  }
  const text = params.toString();
  return text === '' ? '' : `?${text}`;
}

/** Calls `listener` when the key or a parameter has changed. */
export function onState(listener: Listener): void {
  listeners.add(listener);
}

function announce(): void {
  for (const listener of listeners) listener();
}
