// The parts of the reference: a page per group of operations, and a page for the events.
import { EVENT_TYPES } from '../../schemas/events.ts';
import type { OpenApiDocument, Operation } from '../openapi/model.ts';
import type { LocatedOperation } from './request-samples.ts';

export interface Group {
  readonly name: string;
  /** The last part of the page's path, `/docs/<slug>`. */
  readonly slug: string;
  readonly description: string;
  readonly operations: readonly LocatedOperation[];
}

export const EVENT_PAGE = {
  slug: 'event-types',
  name: 'Event types and stream',
  description: 'Risk events are published through webhooks, the stream and replay.',
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

/** The location of an operation in the reference. */
export const positionOf = ({ operation }: LocatedOperation): string =>
  `/docs/${slugOf(operation.tags[0] ?? '')}#${operation.operationId}`;

/** Locations of the event types and the stream. */
export const eventAnchors = (): readonly (readonly [name: string, place: string])[] =>
  [...EVENT_TYPES, 'stream'].map((name) => [name, `/docs/${EVENT_PAGE.slug}#${name}`]);
