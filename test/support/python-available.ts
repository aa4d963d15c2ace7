// Whether this machine has a Python that can run the examples and readers.
import { spawnSync } from 'node:child_process';

const CHECK_MIN_VERSION = 'import sys; sys.exit(sys.version_info < (3, 11))';

export const isPythonAvailable = (): boolean => spawnSync('python3', ['-c', CHECK_MIN_VERSION]).status === 0;
