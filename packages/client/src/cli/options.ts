// The command line: the options that every command has, and the client they make.
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { Client } from '../client.ts';
import type { RetryRules } from '../retry.ts';

/** A wrong command line: its message is printed with the usage, and the program ends with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export interface CommandInput {
  readonly client: Client;
  readonly positionals: readonly string[];
  readonly option: (name: string) => string | undefined;
  readonly options: (name: string) => readonly string[];
  readonly isSet: (name: string) => boolean;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
  /** To the standard error output, which is for people. */
  readonly say: (line: string) => void;
  /** Pauses other than the usual ones. */
  readonly pauses?: Pauses;
}

export interface Pauses {
  readonly retry: Partial<RetryRules>;
  /** Milliseconds before the n-th attempt in a row to open the stream. */
  readonly streamMs: (failures: number) => number;
}

export interface Command {
  /** With the arguments as they are typed, without the name of the program. */
  readonly usage: string;
  readonly options: ParseArgsOptionsConfig;
  readonly run: (input: CommandInput) => Promise<void>;
}

const COMMON = {
  'base-url': { type: 'string' },
  key: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsOptionsConfig;

type Environment = Readonly<Record<string, string | undefined>>;
type Surroundings = Pick<CommandInput, 'signal' | 'print' | 'say' | 'pauses'>;

/** Undefined if only the usage is wanted. @throws UsageError */
export function readInput(
  command: Command,
  args: readonly string[],
  environment: Environment,
  surroundings: Surroundings,
): CommandInput | undefined {
  const { values, positionals } = parsed(command, args);
  if (values['help'] === true) return undefined;
  const all = (name: string): readonly string[] => {
    const value = values[name];
    return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string');
  };
  const option = (name: string) => all(name).at(-1);
  const baseUrl = option('base-url') ?? environment['DEFI_RISK_URL'] ?? 'http://127.0.0.1:8080';
  const key = option('key') ?? environment['DEFI_RISK_KEY'];
  return {
    client: clientOf(baseUrl, key, surroundings.pauses?.retry),
    positionals,
    option,
    options: all,
    isSet: (name) => values[name] === true,
    ...surroundings,
  };
}

function clientOf(baseUrl: string, key: string | undefined, retry: Partial<RetryRules> = {}): Client {
  try {
    return new Client({ baseUrl, key, retry });
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

function parsed(
  { options }: Command,
  args: readonly string[],
): { readonly values: Readonly<Record<string, unknown>>; readonly positionals: readonly string[] } {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: { ...options, ...COMMON } });
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new UsageError(cause.message, { cause });
  }
}

export function required(value: string | undefined, what: string): string {
  if (value === undefined || value === '') throw new UsageError(`${what} is missing.`);
  return value;
}
