// `npm run keys`: creates, lists, rotates and revokes keys, whether or not a server runs. Owns settings, clock, randomness and process
// exit; everything else receives them as arguments.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { type FolderUse, withCommands } from '../platform/command-line/command-for.ts';
import { readCommandLine } from '../platform/command-line/command-line.ts';
import { programUsage } from '../platform/command-line/help.ts';
import { KEYS } from '../platform/command-line/keys-commands.ts';
import { linePrinter, OutputClosedError } from '../platform/command-line/print-lines.ts';
import { UsageError } from '../platform/command-line/usage-error.ts';
import { FolderError, refuseUnfinishedRestore } from '../platform/processes/data-folder.ts';
import { refuseUnwritable } from '../platform/processes/writable-folder.ts';
import { loadSettings, SettingsError } from '../platform/settings/load-settings.ts';
import type { Settings } from '../platform/settings/settings.ts';
import { KEY_POLL_MS } from './access/key-ring.ts';
import { type Command, parseCommand } from './keys/parse.ts';
import { perform } from './keys/perform.ts';
import { openOpsStore } from './store/open-store.ts';
import { storeFolder } from './store/own-folder.ts';

const EXIT = { done: 0, failed: 1, wrongUse: 2 } as const;

/** Known once the settings are. */
let use: FolderUse | null = null;
const complete = (text: string) => (use === null ? text : withCommands(text, use));
const say = (line: string) => void process.stderr.write(`${complete(line)}\n`);
const printLine = linePrinter(process.stdout);
/** Other programs read lines of JSON, which stay as they are. */
const print = (line: string) => printLine(/^[[{]/.test(line) ? line : complete(line));
const readText = (path: string) => readFileSync(path, 'utf8');

process.exitCode = await main();

async function main(): Promise<number> {
  try {
    const line = readCommandLine(KEYS, process.argv.slice(2));
    if (line.help !== null) {
      for (const one of line.help.split('\n')) print(one);
      return EXIT.done;
    }
    const dotEnv = existsSync('.env') ? readText('.env') : undefined;
    const loaded = loadSettings({
      flags: line.settings,
      env: process.env,
      dotEnv,
      readFile: readText,
    });
    use = loaded;
    const { settings, warnings } = loaded;
    for (const warning of warnings) say(warning);
    refuseUnfinishedRestore(settings.data_dir);
    refuseUnwritable(storeFolder(settings), String(process.pid));
    return await run(settings, parseCommand(line.command, Date.now()));
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
    onSealKeyMade: (file) => say(`Created ${file}; keep it with every copy of the store.`),
    onUpgraded: ({ from, to }) => say(`The store was upgraded from format ${from} to ${to}.`),
  });
  try {
    return await perform(command, {
      store,
      issuer: { keys: store.keys, who, nowMs: Date.now, randomBytes },
      print,
      spread: () => wait(2 * KEY_POLL_MS),
    });
  } finally {
    await store.close();
  }
}

/** A container may run under a user id without a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}

function explain(error: unknown): number {
  if (error instanceof OutputClosedError) return EXIT.done;
  const isUse = error instanceof UsageError;
  say(error instanceof Error ? error.message : String(error));
  if (isUse) say(`\n${programUsage(KEYS)}`);
  return isUse || error instanceof SettingsError || error instanceof FolderError
    ? EXIT.wrongUse
    : EXIT.failed;
}
