// The command line of an example: `--help` prints its options, and a wrong option ends it with one line and exit code 2.
import { type ParseArgsConfig, parseArgs } from 'node:util';

const WRONG_USE = 2;

/** `usage`: the command with its options, as it is typed. */
export function readOptions<const T extends ParseArgsConfig>(
  usage: string,
  config: T,
): ReturnType<typeof parseArgs<T>> {
  if (process.argv.slice(2).some((word) => word === '--help' || word === '-h')) {
    console.info(`Usage: ${usage}`);
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    console.error(`${error.message}\nUsage: ${usage}`);
    process.exit(WRONG_USE);
  }
}
