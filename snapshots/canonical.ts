// Canonical JSON: members sorted by UTF-16 code unit, no white space, numbers as JavaScript writes them. The same value gives the
// same bytes on any machine; what JSON cannot hold (NaN, undefined, dates, …) is refused instead of silently changed.
import { createHash, hash } from 'node:crypto';
import { RefusedInputError } from './errors.ts';

/** Throws RefusedInputError, with the path of the offender, for a value that is not plain JSON. */
export function canonicalJson(value: unknown): string {
  try {
    return isInOrder(value) ? JSON.stringify(value) : inOrder(value);
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    throw new RefusedInputError(`Not JSON at ${offenderPath(value, '$')}: ${error.message}`, {
      cause: error,
    });
  }
}

export const sha256Hex = (bytes: string | Uint8Array): string => hash('sha256', bytes, 'hex');

export function sha256HexOf(chunks: readonly Uint8Array[]): string {
  const digest = createHash('sha256');
  for (const chunk of chunks) digest.update(chunk);
  return digest.digest('hex');
}

class NotJson extends Error {}

/** Whether JSON.stringify, which writes members in the object's own order, already gives the canonical text. */
function isInOrder(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      if (!Number.isFinite(value)) throw new NotJson(`the number ${value}`);
      return true;
    case 'object':
      return value === null || (Array.isArray(value) ? isArrayInOrder(value) : areMembersInOrder(value));
    default:
      throw new NotJson(value === undefined ? 'an undefined value' : `a ${typeof value}`);
  }
}

function isArrayInOrder(items: readonly unknown[]): boolean {
  let isOrdered = true;
  for (let i = 0; i < items.length; i++) isOrdered = isInOrder(items[i]) && isOrdered;
  return isOrdered;
}

function areMembersInOrder(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    throw new NotJson(`an instance of ${value.constructor.name}`);
  let isOrdered = true;
  let previous: string | undefined;
  for (const name in value) {
    if (previous !== undefined && name < previous) isOrdered = false;
    previous = name;
    isOrdered = isInOrder((value as Record<string, unknown>)[name]) && isOrdered;
  }
  return isOrdered && !('toJSON' in value);
}

/** Called only after `isInOrder` has refused what is not JSON. */
function inOrder(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(inOrder).join(',')}]`;
  const members = value as Record<string, unknown>;
  const parts = Object.keys(members)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${inOrder(members[name])}`);
  return `{${parts.join(',')}}`;
}

function offenderPath(value: unknown, path: string): string {
  if (typeof value !== 'object' || value === null) return path;
  for (const [name, inner] of Object.entries(value)) {
    const innerPath = Array.isArray(value) ? `${path}[${name}]` : `${path}.${name}`;
    if (!isJson(inner)) return offenderPath(inner, innerPath);
  }
  return path;
}

function isJson(value: unknown): boolean {
  try {
    isInOrder(value);
    return true;
  } catch {
    return false;
  }
}
