// `npm run house`: prints the measures of the code's shape with their goals. It reports and fails nothing: the rules that must hold are in
// test/rules/.
import { readFileSync } from 'node:fs';
import { documentationPages } from '../docs/pages.ts';
import { PROJECT } from '../rules/source-tree.ts';
import { measuresOf, mutualFolders, productFiles, smallFiles } from './measures.ts';

const files = productFiles();
const pages = documentationPages().map((page) => readFileSync(`${PROJECT}${page}`, 'utf8'));
const measures = measuresOf(files, pages);
const width = Math.max(...measures.map(({ name }) => name.length));
for (const { name, value, goal } of measures) {
  const aim = goal === undefined ? '' : value <= goal ? `≤ ${goal}` : `≤ ${goal}, not reached`;
  process.stdout.write(`${name.padEnd(width)}  ${String(value).padStart(7)}  ${aim}\n`);
}
if (process.argv.includes('--list')) {
  process.stdout.write(`\nSmall files with one importer:\n${smallFiles(files, 46).join('\n')}\n`);
  for (const folder of ['server/', 'jobs/pipeline/', 'jobs/ingest/'])
    process.stdout.write(`\n${folder}: ${mutualFolders(files, folder).join(', ')}\n`);
}
