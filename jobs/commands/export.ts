// `export`: has the server program write the static mirror. Only it knows what its endpoints answer; the two share nothing but files.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { EXIT, type ExitCode } from './exit-codes.ts';

const SERVER = fileURLToPath(new URL('../../server/main.ts', import.meta.url));

export interface Export {
  /** The program that runs this one. */
  readonly node: string;
  readonly snapshotDir: string;
  readonly out: string;
  /** Also what this plan may read; null: only what is open to anybody. */
  readonly plan: string | null;
}

/** What the server program says goes to the terminal as it is. */
export async function exportByServer({ node, snapshotDir, out, plan }: Export): Promise<ExitCode> {
  const planFlags = plan === null ? [] : ['--plan', plan];
  const args = [SERVER, 'export', '--out', out, ...planFlags, '--snapshot-dir', snapshotDir];
  const [code] = await once(spawn(node, args, { stdio: ['ignore', 'inherit', 'inherit'] }), 'exit');
  return code === 0 ? EXIT.done : EXIT.failed;
}
