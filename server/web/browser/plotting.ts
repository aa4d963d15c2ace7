// The library that draws lines, loaded in parallel with the data.
import type uPlot from 'uplot';

export type Plotting = typeof uPlot;

let loaded: Plotting | undefined;
let loading: Promise<Plotting> | undefined;

/** Undefined until loaded. */
export const plotting = (): Plotting | undefined => loaded;

/** After a failure, the next call retries. */
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
