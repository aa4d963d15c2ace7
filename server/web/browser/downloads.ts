// Buttons that save the contents of a panel as files, in every form that its endpoint has.
import { html, type TemplateResult } from 'lit-html';
import { answerTo } from './api.ts';

const DATASET_FORMS = ['csv', 'json', 'ndjson', 'parquet', 'arrow'];
const SERIES_FORMS = ['csv', 'json', 'arrow'];

const isDataset = (address: string): boolean => /^\/v2\/datasets\/[a-z0-9-]+(?:\?|$)/.test(address);
const isHistory = (address: string): boolean =>
  /\/(?:series|rounds|history|statistics|latency)(?:\?|$)/.test(address);

function formsOf(address: string): readonly string[] {
  if (isDataset(address)) return DATASET_FORMS;
  return isHistory(address) ? SERIES_FORMS : ['json'];
}

/** The form is named by the extension of a dataset or by the parameter of a history. */
function fileOf(address: string, form: string): string {
  const [path = '', query] = address.split('?');
  if (isDataset(address)) return `${path}.${form}${query === undefined ? '' : `?${query}`}`;
  return form === 'json' ? address : `${address}${query === undefined ? '?' : '&'}format=${form}`;
}

export function downloads(address: string): TemplateResult {
  const name = (address.split('?', 1)[0] ?? '').split('/').filter(Boolean).join('-');
  return html`${formsOf(address).map((form) => html`<button type="button" @click=${() => void save(fileOf(address, form), `${name}.${form}`)}>${form.toUpperCase()}</button> `)}`;
}

/** Downloads with the key, which a plain link could not send. */
async function save(address: string, fileName: string): Promise<void> {
  const response = await answerTo(address);
  const url = URL.createObjectURL(await response.blob());
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.download = fileName;
  anchor.click();
  URL.revokeObjectURL(url);
}
