// A button that copies a text, even if the page has no access to the clipboard.
import { html, type TemplateResult } from 'lit-html';

export const copyButton = (text: string): TemplateResult =>
  html`<button type="button" class="copy" @click=${(event: Event) => void copyFrom(event.currentTarget as HTMLElement, text)}>Copy</button>`;

export async function copyFrom(button: HTMLElement, text: string): Promise<void> {
  const isCopied = await copy(text);
  button.textContent = isCopied ? 'Copied' : 'Select the text to copy it';
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 2_000);
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
