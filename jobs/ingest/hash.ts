// Batch names: sha256 over the JSON of their parts.
import { createHash } from 'node:crypto';

export const hashOf = (...parts: readonly unknown[]): string =>
  createHash('sha256')
    .update(JSON.stringify(parts.map((part) => part ?? null)))
    .digest('hex');
