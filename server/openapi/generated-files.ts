// The committed files that are generated from the endpoints, each with its text. openapi-typescript writes the TypeScript types from the YAML.
import { ENDPOINTS } from '../endpoints.ts';
import { openApiDocument } from './document.ts';
import { yamlOf } from './document-text.ts';
import { pythonTypes } from './python-types.ts';

/** Path from the root of the project, and the text. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const document = openApiDocument(ENDPOINTS);
  return new Map([
    ['server/openapi/openapi-public.yaml', yamlOf(document)],
    ['examples/client/client_types.py', pythonTypes(document)],
  ]);
}
