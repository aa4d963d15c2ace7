// Publishes new events before the datasets of their time are computed: a version with the datasets of the one before it.
import type { WithheldEvents } from './held.ts';
import { openHistory } from './history.ts';
import { IntactFiles } from './intact.ts';
import { datasetsAsOf, eventsOf, type Manifest, segmentPath } from './layout.ts';
import type { ObjectStore } from '../platform/storage/object-store.ts';
import { type PublishOptions, uploadVersion } from './upload-version.ts';
import { SEGMENT_ADVICE } from './read.ts';
import { checkSuccession, type Successor } from './succession.ts';

export interface NewEvents extends Successor {
  readonly withheld_events?: WithheldEvents | undefined;
}

/**
 * Resolves to null, with nothing published, if there is no certain version to add to: the next full publication repairs that, or says why
 * it cannot. Throws as `publishVersion` does.
 */
export async function publishEvents(
  store: ObjectStore,
  { as_of, generated_at, segments, withheld_events }: NewEvents,
  { intact = new IntactFiles(), claim }: PublishOptions = {},
): Promise<Manifest | null> {
  const { head, isPointed, damage } = await openHistory(store);
  if (head === null || !isPointed || damage.length > 0) return null;
  checkSuccession({ as_of, generated_at, segments }, head);
  for (const entry of segments)
    await intact.check(store, segmentPath(entry.name), { entry, advice: SEGMENT_ADVICE });
  const { version: previous, withheld_events: _before, ...rest } = head;
  const own = { as_of, datasets_as_of: datasetsAsOf(head), generated_at, previous };
  const withheld = withheld_events && { withheld_events };
  const body = { ...rest, ...own, ...withheld, events: eventsOf(segments) };
  return (await uploadVersion(store, { files: [], body, claim })).manifest;
}
