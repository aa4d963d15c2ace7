// How the made-up family pseudonymizes names.
import { createHmac } from 'node:crypto';

export const keyedHash = (key: Uint8Array, text: string): string =>
  createHmac('sha256', key).update(text).digest('hex').slice(0, 32);
