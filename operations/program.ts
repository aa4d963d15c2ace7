// What the programs for operators share: settings, output, and how an error ends.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { withCommands } from '../platform/command-line/command-for.ts';
import { type CommandLine, readCommandLine } from '../platform/command-line/command-line.ts';
import type { ProgramSpec } from '../platform/command-line/define-program.ts';
import { programUsage } from '../platform/command-line/help.ts';
import { linePrinter, OutputClosedError } from '../platform/command-line/print-lines.ts';
import { UsageError } from '../platform/command-line/usage-error.ts';
import { FolderError } from '../platform/processes/data-folder.ts';
import { umaskOf } from '../platform/settings/file-access.ts';
import {
  type LoadedSettings,
  loadSettings,
  SettingsError,
  type SettingsInput,
} from '../platform/settings/load-settings.ts';
import { RefusedInputError } from '../platform/storage/errors.ts';

export const EXIT = { done: 0, failed: 1, wrongUse: 2 } as const;

export interface ProgramEffects {
  readonly nowMs: () => number;
  readonly random: () => number;
  readonly randomBytes: (count: number) => Uint8Array;
  readonly env: NodeJS.ProcessEnv;
  /** Version of this program. */
  readonly program: string;
  /** Version of Node. */
  readonly node: string;
  /** Folder of this program. */
  readonly root: string;
  /** The user that runs it; -1 where users have no numbers. */
  readonly userId: number;
  /** Where the settings come from, for a program that also reads the sections of the configuration file. */
  readonly source: Omit<SettingsInput, 'checkSections'>;
  readonly print: (line: string) => void;
  readonly warn: (line: string) => void;
}

export type Work<P extends ProgramSpec> = (
  command: Extract<CommandLine<P>, { readonly help: null }>['command'],
  loaded: LoadedSettings,
  effects: ProgramEffects,
) => Promise<number>;

type CommandOf<P extends ProgramSpec> = Parameters<Work<P>>[0];

/** Resolves to the exit code. `onBadSettings`: for a program that reports wrong settings itself. */
export async function runProgram<P extends ProgramSpec>(
  spec: P,
  work: Work<P>,
  onBadSettings?: (error: SettingsError, command: CommandOf<P>, print: ProgramEffects['print']) => number,
): Promise<number> {
  const print = linePrinter(process.stdout);
  const readText = (path: string) => readFileSync(path, 'utf8');
  let complete = (text: string) => text;
  const warn = (line: string) => void process.stderr.write(`${complete(line)}\n`);
  try {
    const line: CommandLine<P> = readCommandLine(spec, process.argv.slice(2));
    if (line.help !== null) {
      for (const one of line.help.split('\n')) print(one);
      return EXIT.done;
    }
    const dotEnv = existsSync('.env') ? readText('.env') : undefined;
    const source = { flags: line.settings, env: process.env, dotEnv, readFile: readText };
    const loaded = loadedOr(source, (error) => onBadSettings?.(error, line.command, print));
    if (typeof loaded === 'number') return loaded;
    complete = (text) => withCommands(text, loaded);
    for (const warning of loaded.warnings) warn(warning);
    process.umask(umaskOf(loaded.settings));
    const root = `${import.meta.dirname}/..`;
    const { version: program } = JSON.parse(readText(`${root}/package.json`));
    const host = { program, node: process.version, root, userId: process.getuid?.() ?? -1, source };
    const effects = { nowMs: Date.now, random: Math.random, randomBytes, env: process.env, ...host };
    return await work(line.command, loaded, { ...effects, print: (one) => print(complete(one)), warn });
  } catch (error) {
    return explain(spec, error, warn);
  }
}

/** The settings, or what the handler returns for wrong ones. @throws SettingsError if it returns nothing */
function loadedOr(
  source: ProgramEffects['source'],
  onError: (error: SettingsError) => number | undefined,
): LoadedSettings | number {
  try {
    return loadSettings(source);
  } catch (error) {
    const code = error instanceof SettingsError ? onError(error) : undefined;
    if (code === undefined) throw error;
    return code;
  }
}

function explain(spec: ProgramSpec, error: unknown, warn: (line: string) => void): number {
  if (error instanceof OutputClosedError) return EXIT.done;
  warn(error instanceof Error ? error.message : String(error));
  if (error instanceof UsageError) warn(`\n${programUsage(spec)}`);
  const isWrong =
    error instanceof UsageError ||
    error instanceof SettingsError ||
    error instanceof FolderError ||
    error instanceof RefusedInputError;
  return isWrong ? EXIT.wrongUse : EXIT.failed;
}
