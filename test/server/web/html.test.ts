import { expect, test } from 'vitest';
import { html, paragraphs, prose } from '../../../server/web/html.ts';

test('inserted values are escaped, HTML is not, and absent values leave nothing', () => {
  const list = ['<a>', html`<b>x</b>`];
  expect(html`<p title="${`"'&`}">${list}${undefined}${false}${0}</p>`.text).toBe(
    '<p title="&quot;&#39;&amp;">&lt;a&gt;<b>x</b>0</p>',
  );
});

test('backticks become code, with its content escaped', () => {
  expect(prose('send `<key>` twice').text).toBe('send <code>&lt;key&gt;</code> twice');
});

test('an empty line separates paragraphs', () => {
  expect(paragraphs('a\n\nb').text).toBe('<p>a</p><p>b</p>');
});
