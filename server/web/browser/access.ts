// What this service offers, and what a caller without a key may not read, as the server wrote it into the page.
import { apiKey } from './state.ts';

type Pattern = readonly string[];

const patternsIn = (name: string): readonly Pattern[] =>
  (document.querySelector<HTMLElement>('header.top')?.dataset[name] ?? '')
    .split(' ')
    .map((path) => path.split('/'));

let offered: readonly Pattern[] | undefined;
let locked: readonly Pattern[] | undefined;

function isAmong(patterns: readonly Pattern[], address: string): boolean {
  const parts = (address.split('?', 1)[0] ?? '').split('/');
  return patterns.some(
    (pattern) =>
      pattern.length === parts.length &&
      pattern.every((part, index) => part === '*' || part === parts[index]),
  );
}

/** Whether a request without a key would be refused. Such a request is not sent. */
export function isRefused(address: string): boolean {
  if (apiKey() !== undefined) return false;
  locked ??= patternsIn('locked');
  return isAmong(locked, address);
}

/** Whether the API of this service has such a path. */
export function isOffered(address: string): boolean {
  offered ??= patternsIn('paths');
  return isAmong(offered, address);
}
