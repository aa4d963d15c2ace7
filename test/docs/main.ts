// `npm run docs`: writes the generated tables of docs/ and `.env.example`.
import { readFileSync, writeFileSync } from 'node:fs';
import { PROJECT } from '../rules/source-tree.ts';
import { documentationPages } from './pages.ts';
import { fillTables } from './regions.ts';
import { dotEnvExample } from './settings-text.ts';
import { TABLES } from './tables.ts';

for (const page of documentationPages()) {
  const text = readFileSync(`${PROJECT}${page}`, 'utf8');
  const filled = fillTables(text, TABLES);
  if (filled !== text) writeFileSync(`${PROJECT}${page}`, filled);
}
writeFileSync(`${PROJECT}.env.example`, dotEnvExample());
