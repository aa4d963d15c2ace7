#!/usr/bin/env node
// The program `defi-risk`: the commands of this package.
import { ApiError } from '../client.ts';
import { GET } from './get.ts';
import { LISTEN, problemOf } from './listen.ts';
import { type Command, readInput, UsageError } from './options.ts';
import { printable } from './printable.ts';
import { PULL } from './pull.ts';
import { TAIL } from './tail.ts';
import { TRIGGER } from './trigger.ts';

const COMMANDS: Readonly<Record<string, Command>> = {
  get: GET,
  pull: PULL,
  tail: TAIL,
  listen: LISTEN,
  trigger: TRIGGER,
};
const COMMON_USAGE =
  'Every command has --base-url URL (or DEFI_RISK_URL; default http://127.0.0.1:8080) and --key KEY (or DEFI_RISK_KEY).';
const WRONG_USE = 2;

const usage = (commands: readonly Command[]): string =>
  [...commands.map((command) => `Usage: defi-risk ${command.usage}`), COMMON_USAGE].join('\n');

async function main([name = '', ...args]: readonly string[]): Promise<number> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    const isAsked = name === '--help' || name === '-h';
    console[isAsked ? 'info' : 'error'](usage(Object.values(COMMANDS)));
    return isAsked ? 0 : WRONG_USE;
  }
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const output = {
    signal: stop.signal,
    print: (line: string) => console.info(printable(line)),
    say: (line: string) => console.error(printable(line)),
  };
  try {
    const input = readInput(command, args, process.env, output);
    if (input === undefined) console.info(usage([command]));
    else await command.run(input);
    return 0;
  } catch (error) {
    if (stop.signal.aborted) return 0;
    console.error(printable(error instanceof ApiError ? error.message : problemOf(error)));
    if (!(error instanceof UsageError)) return 1;
    console.error(usage([command]));
    return WRONG_USE;
  }
}

// A reader that has had enough, such as `head`, closes the pipe.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});
process.exitCode = await main(process.argv.slice(2));
