// Writes the committed files generated from the endpoints. Run `npm run openapi` after changing an endpoint, schema or catalogue.
import { writeFileSync } from 'node:fs';
import { generatedFiles } from './generated-files.ts';

const PROJECT = new URL('../../', import.meta.url);

for (const [path, text] of generatedFiles()) {
  writeFileSync(new URL(path, PROJECT), text);
  console.info(`wrote ${path}`);
}
