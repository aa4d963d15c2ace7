// The event domain narrowed to some types, for worlds that do not watch every family: a detector needs the tables it reads.
import type { Domain } from '../../jobs/define.ts';
import { events } from '../../jobs/events/domain.ts';
import { partOf } from './part-of.ts';

/** Types that begin with one of these, for example `oracle.` or `mev.spike`. */
export function eventsAbout(...beginnings: readonly string[]): Domain {
  const types = events.detectors.map(({ type }) => type);
  const wanted = types.filter((type) => beginnings.some((beginning) => type.startsWith(beginning)));
  return partOf(
    events,
    wanted.map((type) => `event.${type}`),
  );
}
