// Creates a folder that only its owner can read. Missing parent folders get default permissions.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

const OWNER_ONLY = 0o700;

export function makeOwnFolder(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  mkdirSync(path, { recursive: true, mode: OWNER_ONLY });
}
