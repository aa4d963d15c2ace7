// How often a dataset is expected to change.
import type { PipelineContext } from '../context.ts';

/** Cadence of what changes with every tick, seconds, unless ticks are further apart. */
export const TICK_CADENCE_S = 300;

/** The published cadence, seconds: the dataset's own, but no shorter than the time between runs, because nothing changes in between. */
export const statedCadence = ({ settings }: Pick<PipelineContext, 'settings'>, ownSeconds: number): number =>
  Math.max(ownSeconds, settings.tick_seconds);
