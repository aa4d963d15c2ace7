// The reader's choices. All but the key are in the URL, so that a link restores them; the key stays in this tab.
const KEY_NAME = 'api-key';

type Listener = () => void;
const listeners = new Set<Listener>();
let known = keyOfLink() ?? sessionStorage.getItem(KEY_NAME) ?? undefined;

const REPLACES = 'This link contains an API key of its sender. Use it instead of yours?';

/**
 * A link may contain a key in `#key=`, which is never sent to a server. The key is removed from the URL. It replaces another key only with the
 * reader's consent: otherwise its sender would choose the organisation in which the reader works.
 */
function keyOfLink(): string | undefined {
  const given = new URLSearchParams(location.hash.slice(1)).get('key');
  if (given === null) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  const stored = sessionStorage.getItem(KEY_NAME);
  if (stored !== null && stored !== given && !confirm(REPLACES)) return undefined;
  sessionStorage.setItem(KEY_NAME, given);
  return given;
}

addEventListener('hashchange', () => {
  const given = keyOfLink();
  if (given !== undefined) setKey(given);
});
addEventListener('popstate', () => announce());

/** The service's reason for refusing the key. Everything then works as without a key. */
let refusal: string | undefined;

export const apiKey = (): string | undefined => (refusal === undefined ? known : undefined);
export const keyRefusal = (): string | undefined => refusal;

/** `key`: the key that was sent. */
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

/** A URL parameter; undefined if absent or empty. */
export const param = (name: string): string | undefined =>
  new URLSearchParams(location.search).get(name) || undefined;

/** The time that the whole dashboard shows; undefined for now. */
export const asOf = (): string | undefined => param('as_of');

/** Changes URL parameters; undefined removes one. */
export function setParams(changes: Readonly<Record<string, string | undefined>>, keepsScroll = true): void {
  const target = here(changes);
  if (keepsScroll) history.replaceState(null, '', target);
  else history.pushState(null, '', target);
  announce();
}

/** The URL that `setParams` would produce. */
export const here = (changes: Readonly<Record<string, string | undefined>>): string =>
  location.pathname + search(changes, new URLSearchParams(location.search));

/** Changes the contents of lists, which then restart at their first pages. */
export function choose(changes: Readonly<Record<string, string | undefined>>, keepsScroll = true): void {
  const cursors = [...new URLSearchParams(location.search).keys()].filter((name) => /cursor\]?$/.test(name));
  setParams({ ...Object.fromEntries(cursors.map((name) => [name, undefined])), ...changes }, keepsScroll);
}

/** A link to a dashboard page at the same time. */
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
