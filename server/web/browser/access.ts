// What this service offers, and what a caller without a key may read of it, as the server wrote it into the page.
import { apiKey } from './state.ts';

/** Belongs to an organisation. */
const OWNED = /^\/v1\/usage|^\/v2\/(webhooks|simulator)/;
/** Needs a plan above the free one. */
const ABOVE_FREE = /^\/v2\/datasets\/(coverage|vault-events|mev-sandwiches)\b/;
const OPEN =
  /^\/v1\/|^\/v2\/(conditions|events|event-types|data-manifest|datasets|versions)(\?|$)|^\/v2\/events\//;

/** Whether a request without a key would be refused: it is not made then. */
export function isRefused(address: string): boolean {
  if (apiKey() !== undefined) return false;
  const plan = facts()['anonymousPlan'] ?? 'none';
  if (OWNED.test(address) || (plan === 'free' && ABOVE_FREE.test(address))) return true;
  return plan === 'none' && !OPEN.test(address);
}

const facts = (): DOMStringMap => document.getElementById('main')?.dataset ?? {};
let patterns: readonly (readonly string[])[] | undefined;

/** Whether the API of this service has such a path. */
export function isOffered(address: string): boolean {
  patterns ??= (facts()['paths'] ?? '').split(' ').map((path) => path.split('/'));
  const parts = (address.split('?', 1)[0] ?? '').split('/');
  return patterns.some(
    (pattern) =>
      pattern.length === parts.length && pattern.every((part, at) => part === '*' || part === parts[at]),
  );
}
