// Fuzzes the parsers of bytes from outside: `npm run test:fuzz -- [target or area …] [--minutes N] [--seed N]`. Each target is run for N
// minutes (10), from its seeds and the inputs that earlier runs kept in node_modules/.cache/fuzz. What is found is written there too: once
// it is mended, its input belongs into test/fuzz/inputs/<target>/, which every run and `npm test` begin with.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PROJECT } from '../rules/source-tree.ts';
import { type FuzzReport, nameOfInput } from './fuzz-loop.ts';
import { fuzzInThread } from './fuzz-process.ts';
import { targetNames } from './targets.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '' },
  },
});
const minutes = Number(values.minutes);
const seed = values.seed === '' ? Date.now() % 2 ** 31 : Number(values.seed);
if (!(minutes > 0) || !Number.isSafeInteger(seed)) {
  console.error('--minutes must be a number above 0, --seed an integer.');
  process.exit(2);
}

const cache = join(PROJECT, 'node_modules', '.cache', 'fuzz');
const describe = ({ target, executions, branches, inputs, operationsPerByte, heapGrowthMb }: FuzzReport) =>
  `${target}: ${executions} executions, ${branches} branches, ${inputs} inputs, at most ${operationsPerByte} branches a byte, heap ${heapGrowthMb} MB`;

let found = 0;
console.log(`Seed ${seed}, ${minutes} minutes for each target.`);
for (const target of await targetNames(positionals)) {
  const { findings } = await fuzzInThread(
    {
      targets: [target],
      seed,
      seconds: minutes * 60,
      executions: Number.MAX_SAFE_INTEGER,
      corpus: join(cache, 'corpus'),
    },
    (report) => console.log(describe(report)),
  );
  for (const { problem, input } of findings) {
    const folder = join(cache, 'findings', target);
    const file = join(folder, nameOfInput(input));
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, input);
    console.error(`  ${target} ${problem}\n    ${file}`);
  }
  found += findings.length;
}
process.exitCode = found === 0 ? 0 : 1;
