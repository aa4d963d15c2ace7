// Whether this machine has a Python that examples and readers can run on.
import { spawnSync } from 'node:child_process';

const LEAST = 'import sys; sys.exit(sys.version_info < (3, 11))';

export const pythonHere = (): boolean => spawnSync('python3', ['-c', LEAST]).status === 0;
