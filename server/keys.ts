// `npm run keys`: makes, lists, rotates and revokes keys, while a server runs or not. Settings, clock, randomness and the end of
// the process; everything else gets them as arguments.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { loadSettings, SettingsError } from '../schemas/load-settings.ts';
import type { Settings } from '../schemas/settings.ts';
import { KEY_POLL_MS } from './access/key-ring.ts';
import { type Command, KEY_FLAGS, parseCommand } from './keys/parse.ts';
import { perform } from './keys/perform.ts';
import { USAGE, UsageError } from './keys/usage.ts';
import { openOpsStore } from './store/open-store.ts';

const EXIT = { failed: 1, wrongUse: 2 } as const;

const say = (line: string) => void process.stderr.write(`${line}\n`);
const readText = (path: string) => readFileSync(path, 'utf8');

process.exitCode = await main();

async function main(): Promise<number> {
  try {
    const dotEnv = existsSync('.env') ? readText('.env') : undefined;
    const { settings, rest, warnings } = loadSettings({
      argv: process.argv.slice(2),
      env: process.env,
      dotEnv,
      readFile: readText,
      commandFlags: KEY_FLAGS,
    });
    for (const warning of warnings) say(warning);
    return await run(settings, parseCommand(rest, Date.now()));
  } catch (error) {
    return explain(error);
  }
}

async function run(settings: Settings, command: Command): Promise<number> {
  const who = `cli:${userName()}`;
  const isAccepted = command.name === 'audit' && command.does === 'accept';
  const { store } = await openOpsStore({
    settings,
    owner: `keys-${randomBytes(6).toString('hex')}`,
    randomBytes,
    steadyMs: () => performance.now(),
    wait: (ms) => wait(ms),
    accept: isAccepted ? { who, requestId: null, atMs: Date.now() } : undefined,
    onSealKeyMade: (file) => say(`Made ${file}; keep it with every copy of the store.`),
  });
  try {
    return await perform(command, {
      store,
      issuer: { keys: store.keys, who, nowMs: Date.now, randomBytes },
      print: (line) => void process.stdout.write(`${line}\n`),
      spread: () => wait(2 * KEY_POLL_MS),
    });
  } finally {
    await store.close();
  }
}

/** A container may run under a number that has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}

function explain(error: unknown): number {
  const isUse = error instanceof UsageError;
  say(error instanceof Error ? error.message : String(error));
  if (isUse) say(`\n${USAGE}`);
  return isUse || error instanceof SettingsError ? EXIT.wrongUse : EXIT.failed;
}
