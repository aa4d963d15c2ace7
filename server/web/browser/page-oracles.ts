// Oracles of markets: what does this price assume, and does it hold? The list of all, or the oracle of one market.
import { html } from 'lit-html';
import { target } from './api.ts';
import { isKnown } from './format.ts';
import { LocalPanel, type Panel } from './panel.ts';
import { replacePanel, showPage } from './shell.ts';
import { link, param, setParams } from './state.ts';

const all = new LocalPanel(
  'all',
  'Other oracles',
  () => html`<p><a href=${link('/oracles')}>All oracles of markets</a></p>`,
);

/** The chart library is large: it is loaded when a reader asks for the chart. */
const toGap: LocalPanel = new LocalPanel(
  'price-gap',
  'Price gap over time',
  () =>
    html`<p><button type="button" @click=${() => void showGap()}>Show the price gap as a chart</button></p>`,
);

async function gapPanel(): Promise<Panel> {
  const chart = import('./oracle-gap.ts');
  const { enterOf, oraclePathOf } = await import('./oracle-page.ts');
  const address = (resolution: string) => target(oraclePathOf('/series'), { resolution });
  return (await chart).priceGapPanel({ address, enterOf });
}

async function showGap(): Promise<void> {
  replacePanel(toGap, await gapPanel());
  setParams({ gap: 'shown' });
}

async function shownPanels(): Promise<readonly Panel[]> {
  if (!isKnown(param('market')) || !isKnown(param('chain'))) {
    const { oracles, assumptions } = await import('./oracle-list.ts');
    return [oracles, assumptions];
  }
  const gap = isKnown(param('gap')) ? gapPanel() : toGap;
  const { oracle, oracleEvents } = await import('./oracle-page.ts');
  return [oracle, oracleEvents, await gap, all];
}

void shownPanels().then(showPage);
