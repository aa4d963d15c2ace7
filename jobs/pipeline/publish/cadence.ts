// How often a dataset is meant to change.
import type { PipelineContext } from '../context.ts';

/** Of what changes with every tick, seconds, unless ticks are further apart. */
export const TICK_CADENCE_S = 300;

/** The cadence that a version states, seconds: the dataset's own, but nothing changes more often than the jobs run. */
export const statedCadence = ({ settings }: Pick<PipelineContext, 'settings'>, ownSeconds: number): number =>
  Math.max(ownSeconds, settings.tick_seconds);
