// `npm run cases:format`: lays out every case file and names the ones that changed.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { formatCases } from './case-format.ts';

const PROJECT = new URL('../../', import.meta.url);

for (const path of globSync('test/jobs/**/*.case.json', { cwd: PROJECT }).sort()) {
  const file = new URL(path, PROJECT);
  const text = readFileSync(file, 'utf8');
  const formatted = formatCases(text);
  if (formatted === text) continue;
  writeFileSync(file, formatted);
  console.log(path);
}
