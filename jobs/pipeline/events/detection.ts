// What happened in a span of logical time, as the detectors of a world and its guard against storms see it.
import type { Detector } from '../../define.ts';
import { type Candidate, detect } from './emit.ts';
import { type Parameters, renderParameters } from '../models/model-text.ts';
import { withoutStorms } from './storm-guard.ts';
import type { World } from '../context.ts';

export type DetectingWorld = Pick<World, 'engine' | 'models' | 'domains' | 'policy'>;

/** Candidates of the window in the order of the log, without those that the policy holds back. */
export async function detectInWindow(
  world: DetectingWorld,
  window: Parameters,
): Promise<readonly Candidate[]> {
  const detectors = world.domains.flatMap((domain) => domain.detectors);
  const rendered = (wanted: readonly Detector[], span: Parameters) =>
    wanted.map((detector) => ({ detector, sql: renderParameters(queryOf(world, detector), span) }));
  const found = await detect(world.engine, rendered(detectors, window));
  return withoutStorms(found, {
    policy: world.policy.storm,
    span: window,
    candidates: (type, span) =>
      detect(
        world.engine,
        rendered(
          detectors.filter((detector) => detector.type === type),
          { ...span, now: window.now },
        ),
      ),
  });
}

function queryOf({ models }: DetectingWorld, { type }: Detector): string {
  const query = models.events.find((event) => event.type === type);
  if (query === undefined) throw new Error(`detector ${type}: there is no event.${type}.sql`);
  return query.sql;
}
