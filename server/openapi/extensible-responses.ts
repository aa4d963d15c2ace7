// Responses may gain members, so a generated client must accept ones that it does not know. The schemas inside are strict, because they filter
// what is sent; the document says so only of what clients send.
import type { OpenApiDocument } from './model.ts';
import { componentsIn } from './used-components.ts';

type Paths = OpenApiDocument['paths'];

/** The document without `additionalProperties: false`, except in request bodies and the schemas that they use. */
export function extensibleResponses(document: OpenApiDocument): OpenApiDocument {
  const { components } = document;
  const bodies = Object.values(document.paths as Paths).flatMap((item) =>
    Object.values(item as Record<string, { readonly requestBody?: unknown }>).map(
      ({ requestBody }) => requestBody,
    ),
  );
  const sent = componentsIn(components, bodies);
  const schemas = Object.fromEntries(
    Object.entries(components.schemas).map(([name, schema]) => [
      name,
      sent.has(`#/components/schemas/${name}`) ? schema : withoutLimit(schema),
    ]),
  );
  return withoutLimit(document, {
    components: { ...components, schemas, responses: withoutLimit(components.responses) },
  });
}

/** A copy in which objects may have further members; request bodies and `replaced` members stay as they are. */
function withoutLimit<T>(value: T, replaced: Readonly<Record<string, unknown>> = {}): T {
  if (Array.isArray(value)) return value.map((item) => withoutLimit(item)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(
    ([name, member]) => !(name === 'additionalProperties' && member === false),
  );
  return Object.fromEntries(
    members.map(([name, member]) => [
      name,
      replaced[name] ?? (name === 'requestBody' ? member : withoutLimit(member)),
    ]),
  ) as T;
}
