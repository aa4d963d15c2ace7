// Runs amounts-child.ts; both the short and the full test do.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { AMOUNT_TABLES } from './odd-amounts.ts';

const CHILD = new URL('./amounts-child.ts', import.meta.url).pathname;

/** Rejects if the process ends with anything but the number of landings. */
export async function landAmounts(facts: {
  readonly rows: number;
  readonly turns: number;
  readonly threads: number;
}): Promise<void> {
  const dir = temporaryFolder('amounts');
  const args = [CHILD, dir, ...[facts.rows, facts.turns, facts.threads].map(String)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1 << 20 });
  const landings = facts.turns * AMOUNT_TABLES.length * 2;
  if (stdout !== `${landings}\n`) throw new Error(`expected ${landings} landings, got ${stdout}`);
}
