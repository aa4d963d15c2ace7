// The committed files generated from the endpoints, with their texts. openapi-typescript writes the TypeScript types from the YAML.
import { ENDPOINTS } from '../endpoints.ts';
import { asyncApiDocument } from './asyncapi.ts';
import { openApiDocument } from './document.ts';
import { extensibleResponses, yamlOf } from './extensible-responses.ts';
import { pythonTypes } from './python-types.ts';

/** Path relative to the project root, and text. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const document = extensibleResponses(openApiDocument(ENDPOINTS));
  return new Map([
    ['server/openapi/openapi-public.yaml', yamlOf(document)],
    ['server/openapi/asyncapi.yaml', yamlOf(asyncApiDocument())],
    ['packages/python/src/defi_risk/api_types.py', pythonTypes(document)],
  ]);
}
