// The library that draws lines. It is loaded next to the data, which does not wait for it.
import type uPlot from 'uplot';

export type Plotting = typeof uPlot;

let loaded: Plotting | undefined;
let loading: Promise<Plotting> | undefined;

/** Undefined until it is loaded. */
export const plotting = (): Plotting | undefined => loaded;

/** The next call tries again after a failure. */
export function loadPlotting(): Promise<Plotting> {
  loading ??= import('uplot').then(
    (module) => {
      loaded = module.default;
      return loaded;
    },
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}
