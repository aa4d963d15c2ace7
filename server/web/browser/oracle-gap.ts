// The price gap of one oracle over time. It is a file of its own because a page loads it, with the chart library, only when a reader asks for it.
import { isKnown, number } from './format.ts';
import type { Panel } from './panel.ts';
import { rangeChoice, seriesPanel } from './series.ts';
import { param } from './state.ts';

const chosen = (): string => param('resolution') ?? '1h';

export const priceGapPanel = ({
  address,
  enterOf,
}: {
  readonly address: (resolution: string) => string;
  /** Price gap at which it counts as broken; null until that is known. */
  readonly enterOf: () => number | null;
}): Panel =>
  seriesPanel({
    id: 'price-gap',
    title: 'Price gap over time',
    note: () => rangeChoice(chosen()),
    address: () => address(chosen()),
    columns: ['gap_bps'],
    unit: 'bps',
    decoration: () => {
      const enter = enterOf();
      return isKnown(enter)
        ? {
            thresholds: [
              { value: enter, label: `broken from ${number(enter)} bps` },
              { value: -enter, label: '' },
            ],
          }
        : {};
    },
  });
