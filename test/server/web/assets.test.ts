import { expect, test } from 'vitest';
import { styleOf } from '../../../server/web/assets.ts';

test('a stylesheet is served without comments and blanks, and is otherwise unchanged', () => {
  const source = '/* Head\n * of a file */\n\na > b {\n  content: "━ ";  \n\n  /* why */ color: red;\n}\n';
  expect(styleOf(source)).toBe('\na > b {\ncontent: "━ ";\ncolor: red;\n}\n');
});
