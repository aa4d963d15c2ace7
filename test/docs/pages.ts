// The hand-written pages: README.md and docs/.
import { projectFiles } from '../rules/source-tree.ts';

export const documentationPages = (): string[] => [
  'README.md',
  ...projectFiles().filter((path) => path.startsWith('docs/') && path.endsWith('.md')),
];
