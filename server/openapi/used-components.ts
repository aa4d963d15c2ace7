// The referenced components of a document, because a catalogue describes more than the current endpoints use.
import type { OpenApiDocument } from './model.ts';

type Components = OpenApiDocument['components'];

/** `rest` is the document without its components. Components referenced only by unused ones are unused too. */
export function usedComponents(components: Components, rest: object): Components {
  const used = componentsIn(components, rest);
  const kept = (kind: keyof Components) =>
    Object.fromEntries(Object.entries(components[kind]).filter(([name]) => used.has(refTo(kind, name))));
  return {
    schemas: kept('schemas') as Components['schemas'],
    responses: kept('responses') as Components['responses'],
    headers: kept('headers') as Components['headers'],
    parameters: kept('parameters') as Components['parameters'],
    examples: kept('examples') as Components['examples'],
    securitySchemes: components.securitySchemes,
  };
}

/** References to all components that a part of the document uses, directly or through others. */
export function componentsIn(components: Components, part: object): ReadonlySet<string> {
  const used = new Set<string>();
  const waiting: unknown[] = [part];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    for (const ref of referencesIn(value)) {
      if (used.has(ref)) continue;
      used.add(ref);
      waiting.push(targetOf(components, ref));
    }
  }
  return used;
}

export const refTo = (kind: keyof Components, name: string): string => `#/components/${kind}/${name}`;

function targetOf(components: Components, ref: string): unknown {
  const [, , kind = '', name = ''] = ref.split('/');
  const target = components[kind as keyof Components]?.[name];
  if (target === undefined) throw new Error(`The document refers to ${ref}, which does not exist.`);
  return target;
}

function* referencesIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (name === '$ref' && typeof member === 'string') yield member;
    else yield* referencesIn(member);
  }
}
