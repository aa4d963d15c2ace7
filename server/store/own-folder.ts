// A folder that its owner alone may look into. What is above it is made with the rights that folders usually get.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

const OWNER_ONLY = 0o700;

export function makeOwnFolder(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  mkdirSync(path, { recursive: true, mode: OWNER_ONLY });
}
