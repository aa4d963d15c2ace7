// Whatever happens to one file of an installation is harmless or reported, and nothing is lost once the file is restored.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seededRandom } from '../../snapshots/support/corrupt.ts';
import { COUNTS } from '../counts.ts';
import { progressOf } from '../progress.ts';
import { DAMAGES, FILE_KINDS, type FileKind } from './damage.ts';
import { type Folders, prepareFolders } from './folders.ts';
import { type Expected, expectedOf, perform, type Work } from './trial.ts';

const KINDS = Object.keys(FILE_KINDS) as FileKind[];
const WORKS: readonly Work[] = ['run', 'rebuild'];
const MS_PER_TRIAL = 30_000;

type Stage = {
  /** Of the next trial; it determines everything about it. */
  readonly number: number;
  readonly trials: number;
  readonly verdicts: { readonly [verdict: string]: number };
  /** Kinds of files that were damaged. */
  readonly kinds: readonly string[];
};

let folders: Folders;
const expected = new Map<Work, Expected>();
beforeAll(async () => {
  folders = await prepareFolders();
  for (const work of WORKS) expected.set(work, await expectedOf(folders.whole.dir, work));
}, 120_000);
afterAll(() => {
  for (const folder of Object.values(folders ?? {})) folder.remove();
});

const at = <T>(list: readonly T[], index: number): T => {
  const one = list[index % list.length];
  if (one === undefined) throw new Error('an empty list');
  return one;
};

it('a file that is lost or changed is harmless or reported, and its restoration loses nothing', {
  timeout: 60_000 + COUNTS.integrityTrials * MS_PER_TRIAL,
}, async () => {
  const first = Number(process.env['INTEGRITY_FIRST'] ?? 0);
  const beginning: Stage = { number: first, trials: 0, verdicts: {}, kinds: [] };
  const progress = progressOf('trials', beginning);
  const verdicts: Record<string, number> = { ...progress.from.verdicts };
  const kinds = new Set<string>(progress.from.kinds);
  let { trials } = progress.from;
  for (let { number } = progress.from; trials < COUNTS.integrityTrials; number++) {
    const random = seededRandom(number);
    const work = random() < 0.5 ? 'run' : 'rebuild';
    const kind = at(KINDS, number);
    const damage = at(DAMAGES, number + Math.floor(number / KINDS.length));
    const isRunning = random() < 0.3;
    const sound = expected.get(work);
    if (sound === undefined) throw new Error('nothing to compare with');
    const lenders = { older: folders.older.dir, other: folders.other.dir };
    const trial = { whole: folders.whole.dir, kind, damage, work, isRunning, random, lenders } as const;
    const outcome = await perform(trial, sound);
    if (outcome === null) continue;
    const { verdict, path, detail } = outcome;
    trials += 1;
    verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
    kinds.add(kind);
    const name = `${number}: ${kind} ${damage} of ${path}, ${work}, ${isRunning ? 'running' : 'at rest'}`;
    expect(['harmless', 'reported'], `${name}: ${detail.slice(0, 600)}`).toContain(verdict);
    progress.save({ number: number + 1, trials, verdicts, kinds: [...kinds] });
  }
  console.info({ trials, ...verdicts, kinds: kinds.size });
  expect(verdicts['reported'] ?? 0).toBeGreaterThan(0);
  if (trials >= 3 * KINDS.length) expect([...kinds].sort()).toEqual(KINDS.toSorted());
});
