// Writes what is generated from the endpoints and committed: `npm run openapi`, after a change of an endpoint, a schema or a catalogue.
import { writeFileSync } from 'node:fs';
import { generatedFiles } from './generated-files.ts';

const PROJECT = new URL('../../', import.meta.url);

for (const [path, text] of generatedFiles()) {
  writeFileSync(new URL(path, PROJECT), text);
  console.info(`wrote ${path}`);
}
