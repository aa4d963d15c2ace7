// The share prices of one vault over time. The chart library is large, so it is loaded when a reader asks for it.
import { target } from './api.ts';
import type { Panel } from './panel.ts';
import { rangeChoice, seriesPanel } from './series.ts';
import { param } from './state.ts';

const pathOf = () => `/v2/vaults/${param('chain')}/${param('vault')}/history`;

export const sharePrices: Panel = seriesPanel({
  id: 'share-prices',
  title: 'Share prices',
  note: () => rangeChoice(param('resolution') ?? '1h'),
  address: () => target(pathOf(), { resolution: param('resolution') ?? '1h' }),
  columns: ['backed_share_price', 'share_price'],
  digits: 4,
  unit: 'number',
});
