// The parts of the reference: a page for each group of operations, and one for the events.
import { EVENT_TYPES } from '../../schemas/events.ts';
import type { OpenApiDocument, Operation } from '../openapi/model.ts';
import type { Located } from './request-samples.ts';

export interface Group {
  readonly name: string;
  /** Of its page, `/docs/<slug>`. */
  readonly slug: string;
  readonly description: string;
  readonly operations: readonly Located[];
}

export const EVENT_PAGE = {
  slug: 'event-types',
  name: 'Event types and stream',
  description: 'What happens is published as events: by webhooks, by the stream and by replay.',
} as const;

export function groupsOf({ tags, paths }: OpenApiDocument): Group[] {
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation: operation as Operation })),
  );
  return tags.map(({ name, description }) => ({
    name,
    slug: slugOf(name),
    description,
    operations: all.filter(({ operation }) => operation.tags.includes(name)),
  }));
}

const slugOf = (name: string): string => name.toLowerCase().replaceAll(' ', '-');

export const slugsOf = (document: OpenApiDocument): readonly string[] => [
  ...groupsOf(document).map(({ slug }) => slug),
  EVENT_PAGE.slug,
];

/** The place of an operation in the reference. */
export const placeOf = ({ operation }: Located): string =>
  `/docs/${slugOf(operation.tags[0] ?? '')}#${operation.operationId}`;

/** Places of event types and of the stream. */
export const eventPlaces = (): readonly (readonly [name: string, place: string])[] =>
  [...EVENT_TYPES, 'stream'].map((name) => [name, `/docs/${EVENT_PAGE.slug}#${name}`]);
